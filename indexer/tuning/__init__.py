"""A checkpoint fitted to one index: questions made from its documents, training, and a check.

In go the documents of an index; out comes a checkpoint folder, if it finds held-out passages at
least as well as the one before.
"""
