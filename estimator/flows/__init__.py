"""Flows over the links of a design, solved for max-min fairness: what the model's uplinks are held against."""
