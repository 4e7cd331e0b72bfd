"""The files that a contract is written as, a module a format."""
