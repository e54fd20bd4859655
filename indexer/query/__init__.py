"""The query language: a string in, plain words and conditions out; conditions checked on text.

Pure: no tables, no model. ``parse`` reads a string, ``language`` holds what it means, ``fields``
and ``exact`` say whether a document meets it.
"""
