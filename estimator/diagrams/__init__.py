"""A fabric as a picture shows it, without a line of SVG."""
