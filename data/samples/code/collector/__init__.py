"""Tidewatch collector: receives tide-gauge frames, judges them, stores them, raises alarms."""

__version__ = "2.3.1"
