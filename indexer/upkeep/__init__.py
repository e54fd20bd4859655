"""An index in, findings out; an index in, another one out: what keeps an index well for years.

``doctor`` checks its rows against one another, ``verify`` against the files they came from.
"""
