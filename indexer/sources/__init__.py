"""Paths in, files out: what lies under the named paths, and which of it is left out by rule."""

from indexer.sources.files import SourceFile, content_hash
from indexer.sources.walk import Found, walk

__all__ = ["Found", "SourceFile", "content_hash", "walk"]
