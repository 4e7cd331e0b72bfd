"""The order of work at the site: what each crew does on which day, with counts from the design (docs/checklist.md)."""
