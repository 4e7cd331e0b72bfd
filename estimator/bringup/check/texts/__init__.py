"""Text with its lines: JSON, YAML, indented and braced configurations, and the secrets in them."""
