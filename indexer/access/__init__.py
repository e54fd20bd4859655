"""An index folder, opened: with its model, for writing, for reading.

Enters: the path of the folder and the settings. Leaves: an encoder, write sessions, searchers.
"""
