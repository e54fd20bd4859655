"""Rows in, rows out: the tables of an index, their commit rule, its lock and its manifest."""
