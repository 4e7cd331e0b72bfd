"""Parts of a plan that are made without the rest of it, so that plans of thousands of switches are read at once."""
