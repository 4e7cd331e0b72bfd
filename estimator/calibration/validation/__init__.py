"""The model beside every run that is carried: what docs/validation.md and its page state."""
