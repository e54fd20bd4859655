"""How good a checkpoint is: sets with known answers and a model in, figures out.

A set (``datasets``) goes through systems (``landmark``, ``chunked``, ``lexical``), each of which
gives a ``Ranked``: a run, its cost and the places it points to. ``figures`` makes numbers of it
(``metrics``, ``statistics``, ``localisation``) and ``report`` a table.
The packages this needs beyond the encoder come with the extra ``eval``.
"""
