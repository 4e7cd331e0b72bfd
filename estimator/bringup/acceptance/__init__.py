"""The acceptance contract of a site: gates with their commands and lines, results judged against them (docs/acceptance.md)."""
