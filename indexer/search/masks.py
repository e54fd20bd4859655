"""Conditions of a query -> which documents meet them, before anything is ranked.

Fields are asked of the catalogue, for each path of a document by itself: one that lies at several
paths meets the conditions if it meets all of them at one path. Phrases, NEAR and patterns are
checked on the text itself; the full-text index only says which texts need not be read.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from indexer import analysis
from indexer.errors import QueryError
from indexer.query import exact, fields
from indexer.query.language import Atom, Condition, Field, Pattern, Phrase, Word
from indexer.search.recent import Recent
from indexer.search.snapshot import CatalogueEntry, Snapshot
from indexer.search.texts import read_spoken
from indexer.store.tables import Tables

Mask = NDArray[np.bool_]

# Processor seconds that checking texts for one query may take: a busy machine finds the same.
SECONDS = 20.0
ALTERNATIVES = ("type", "lang")  # of which a document has one: several are alternatives
_CACHED_ATOMS = 128
_NARROWING_WORDS = 4  # of a phrase: the longest ones are enough to leave most texts unread


class Masks:
    """Masks (N,) over the documents of one snapshot, and (P,) over their paths; what was found out
    once is kept.

    For any number of threads: two that check one text at a time note the same.
    """

    def __init__(self, snapshot: Snapshot, tables: Tables) -> None:
        self._snapshot = snapshot
        self._tables = tables
        documents = snapshot.documents
        self._copies = [copy for entry in documents for copy in _copies(entry)]  # one a path
        counts = np.array([len(entry.paths) for entry in documents], dtype=np.int64)
        self._owners = np.repeat(np.arange(len(documents)), counts)
        self._fields: Recent[Field, Mask] = Recent(_CACHED_ATOMS)
        # Of each atom that is checked on texts: who was checked, and who met it.
        self._checked: Recent[Atom, tuple[Mask, Mask]] = Recent(_CACHED_ATOMS)

    def allowed(self, conditions: Sequence[Condition]) -> Mask:
        """The documents that meet all conditions.

        Raises QueryError: checking took too long, mostly for a pattern that has no end.
        """
        deadline = time.thread_time() + SECONDS
        left: Mask = np.ones(len(self._copies), dtype=bool)
        # Fields cost nothing: they come first, and leave fewer texts to read.
        for group in sorted(groups(conditions), key=lambda group: group[0].field is None):
            met = np.zeros_like(left)
            for condition in group:
                met |= self._meeting(condition, left, deadline)
            left &= met
        return self._documents(left)

    def _documents(self, copies: Mask) -> Mask:
        """(N,) the documents that lie at some of these paths."""
        found = np.zeros(len(self._snapshot.documents), dtype=bool)
        found[self._owners[copies]] = True
        return found

    def _meeting(self, condition: Condition, among: Mask, deadline: float) -> Mask:
        met = np.zeros_like(among)
        for atom in condition.alternatives:
            met |= self._holding(atom, among & ~met, deadline)
        return among & ~met if condition.negated else met

    def _holding(self, atom: Atom, among: Mask, deadline: float) -> Mask:
        if isinstance(atom, Field):
            return self._of_field(atom) & among
        return self._saying(atom, self._documents(among), deadline)[self._owners] & among

    def _saying(self, atom: Word | exact.Exact, among: Mask, deadline: float) -> Mask:
        """(N,) those of the documents ``among`` whose text meets an atom."""
        if isinstance(atom, Word):
            terms = analysis.query_terms(atom.text)
            if terms:
                return self._with_terms([frozenset({term}) for term in terms], among)
            atom = Phrase(atom.text)
        known = self._checked.known([atom])
        if not known:
            nobody = np.zeros(len(self._snapshot.documents), dtype=bool)
            known = {atom: (nobody, nobody.copy())}
            self._checked.keep(known)
        checked, met = known[atom]
        self._check(atom, among & ~checked, checked, met, deadline)
        return met & among

    def _of_field(self, field: Field) -> Mask:
        known = self._fields.known([field])
        if not known:
            found = (fields.meets(copy, field) for copy in self._copies)
            known = {field: np.fromiter(found, dtype=bool, count=len(self._copies))}
            self._fields.keep(known)
        return known[field]

    def _check(
        self, atom: exact.Exact, todo: Mask, checked: Mask, met: Mask, deadline: float
    ) -> None:
        """Check the texts of the documents ``todo``; note in ``checked`` and ``met``."""
        documents = self._snapshot.documents
        possible = self._possible(atom, todo)
        checked |= todo & ~possible
        wanted = [documents[i].doc_id for i in np.flatnonzero(possible)]
        for doc_id, text in read_spoken(self._tables, wanted):
            i = self._snapshot.position[doc_id]
            left_s = deadline - time.thread_time()
            try:
                if left_s <= 0:
                    raise TimeoutError
                met[i] = exact.holds(atom, text, timeout_s=left_s) or (
                    not isinstance(atom, Pattern)
                    and exact.holds(atom, documents[i].title, timeout_s=left_s)
                )
            except TimeoutError as error:
                raise QueryError(
                    f"Looking for {atom} took more than {SECONDS:.0f} seconds.",
                    "Filter by type: or path:, or ask for something simpler.",
                ) from error
            checked[i] = True

    def _possible(self, atom: exact.Exact, among: Mask) -> Mask:
        if isinstance(atom, Pattern):
            return among
        text = atom.text if isinstance(atom, Phrase) else f"{atom.left} {atom.right}"
        longest = sorted(set(analysis.word_forms(text)), key=lambda forms: -max(map(len, forms)))
        # The words of its title are terms of a document, too.
        return self._with_terms(longest[:_NARROWING_WORDS], among)

    def _with_terms(self, forms: Iterable[frozenset[str]], among: Mask) -> Mask:
        """Documents that hold, for each of ``forms``, at least one of its terms."""
        left = among.copy()
        # All rows, also those of documents that are just coming or leaving: they are found, too.
        rows = self._tables.documents.count_rows()
        for terms in forms:
            if not left.any():
                break
            found = self._tables.text_documents(sorted(terms), rows)
            here = np.zeros_like(left)
            places = self._snapshot.document_places.of(found.row_ids)
            here[places[places >= 0]] = True
            left &= here
        return left


def paths_meeting(entry: CatalogueEntry, conditions: Sequence[Condition]) -> tuple[str, ...]:
    """Those of a document's paths at which it meets the conditions on fields; at least one of a
    document that is allowed."""
    if len(entry.paths) == 1:
        return entry.paths
    wanted = [
        group
        for group in groups(conditions)
        if all(isinstance(atom, Field) for condition in group for atom in condition.alternatives)
    ]
    return tuple(
        copy.paths[0]
        for copy in _copies(entry)
        if all(any(_meets(copy, condition) for condition in group) for group in wanted)
    )


def _copies(entry: CatalogueEntry) -> list[CatalogueEntry]:
    """The entry as it would be at each of its paths alone."""
    if len(entry.paths) == 1:
        return [entry]
    return [replace(entry, paths=(path,)) for path in entry.paths]


def _meets(copy: CatalogueEntry, condition: Condition) -> bool:
    """Whether a document at one path meets a condition on fields only."""
    wanted = (atom for atom in condition.alternatives if isinstance(atom, Field))
    return any(fields.meets(copy, field) for field in wanted) != condition.negated


def groups(conditions: Sequence[Condition]) -> list[list[Condition]]:
    """Conditions that are alternatives to one another: ``type:pdf type:html`` is either."""
    found: list[list[Condition]] = []
    shared: dict[str, list[Condition]] = {}
    for condition in conditions:
        name = condition.field
        if name in ALTERNATIVES and not condition.negated:
            if name not in shared:
                shared[name] = []
                found.append(shared[name])
            shared[name].append(condition)
        else:
            found.append([condition])
    return found
