"""Shapes of language models and what follows from them: parameters, operations, cached bytes."""
