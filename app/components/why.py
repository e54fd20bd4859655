"""Why a document has its score, to be opened on its card."""

from app.formatting import escape
from indexer import Explanation

NAMES = {
    "places": "Best places by meaning",
    "document": "Whole document by meaning",
    "text_places": "Best place by words",
    "text_document": "Whole document by words",
    "rerank": "Second look",
}


def why_html(explanation: Explanation | None) -> str:
    """A closed table of signals, and the words with the number of places that hold them."""
    if explanation is None or not explanation.signals:
        return ""
    rows = "".join(
        f"<tr><th>{escape(NAMES.get(signal.name, signal.name))}</th><td>{signal.value:.2f}</td>"
        f"<td>{signal.rank:,}</td><td>{signal.weight:g}</td><td>{signal.contribution:+.2f}</td></tr>"
        for signal in explanation.signals
    )
    words = "".join(
        f'<li class="{"held" if word.places else "missing"}"><bdi>{escape(word.word)}</bdi> '
        f"{word.places:,}</li>"
        for word in explanation.words
    )
    listed = (
        f'<p>Places that hold its words</p><ul class="held-words">{words}</ul>' if words else ""
    )
    return (
        '<details class="why"><summary>Why this score</summary><table>'
        "<tr><th></th><th>Value</th><th>Rank</th><th>Weight</th><th>Adds</th></tr>"
        f"{rows}</table>{listed}</details>"
    )
