"""The networks of a cluster beside its compute fabric: storage, management in-band and out-of-band."""
