"""Vectors of one table and a query vector in, the nearest rows out: exact, LanceDB, FAISS."""
