"""Files in, published rows out: what changed, parsing beside encoding, batches, the report."""
