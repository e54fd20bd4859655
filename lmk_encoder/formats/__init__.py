"""Anybody's checkpoint folder -> ``Checkpoint``; and ours -> a folder that others can load.

Read are: our own folders (``lmk.json``); folders of sentence-transformers, plain ones and the
three drafts with landmarks; the training output of the paper's authors; plain folders of
transformers. Explicit settings win over keys in the folder, these over hints in its name, these
over defaults. Only JSON is read here: nothing of a folder is ever run.
"""
