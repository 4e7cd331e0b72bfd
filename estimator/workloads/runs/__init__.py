"""A training run over weeks: checkpoints, stops, days and dollars."""
