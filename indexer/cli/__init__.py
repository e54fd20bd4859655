"""The command ``lmk``: arguments in, text or JSON out. One thin file a command."""
