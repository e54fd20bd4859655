"""A query in, hits out: signals, fusion, localisation."""
