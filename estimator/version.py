"""The version of the rules and formulas: it is part of every estimate and moves whenever a number does (docs/changes.md)."""

MODEL_VERSION = "2.2"
