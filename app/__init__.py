"""Hits -> screens: the Streamlit pages of ``lmk ui``. In: an index folder; out: HTML.

Knows ``indexer`` through its public names only, and computes nothing that search could
compute. Start it with ``python -m app --index DIR``.
"""
