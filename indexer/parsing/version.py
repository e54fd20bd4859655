"""The version of everything in this folder that decides what a Document looks like."""

# Goes into document ids: raise it when the same bytes would give another text or other
# offsets, so that an index is rebuilt rather than mixed.
PARSER_VERSION = "9"
