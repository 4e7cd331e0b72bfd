"""A request: its keys, defaults and rules; ``parse.parse_spec`` makes a checked DesignSpec of JSON."""
