r"""Sections and titles of LaTeX."""

import pytest

from indexer.documents import unit_at
from indexer.parsing.latex import parse_latex

SOURCE = r"""\documentclass{book}
\title[Tides]% short
  {On \emph{tides}\thanks{To {all}.} \\ and \LaTeX}
% \section{commented out}
\begin{document}
\part{One}
\chapter*{Two {\small (in {three} parts)}\label{ch:two}}
\section [short]
  {A long
   title % of two lines
   and more}
\begin{verbatim}
\section{shown}
\end{verbatim}
See \section{in a line}.
  \subsubsection{}
\subsection{Erd\H{o}s, G\"odel, \v Cech \& Stra\ss e~5}
\paragraph{$x$--axis} text
\paragraph{\eTeX{}}
\subparagraph{50\,\% done}
\begin{verbatim}
\section{never closed, hides nothing}
\sectionmark{no}
\newcommand{\foo}{\section{no}}
"""


def test_titles_and_their_levels():
    document = parse_latex(SOURCE, name="a.tex")

    assert [
        (s.level, s.title, unit_at(document.unit_starts, s.start)) for s in document.sections
    ] == [
        (1, "One", 6),
        (2, "Two (in three parts)", 7),
        (3, "A long title and more", 8),
        (4, "Erdős, Gödel, Čech & Straße 5", 17),
        (6, "x–axis", 18),
        (6, "eTeX", 19),
        (7, "50% done", 20),
        (3, "never closed, hides nothing", 22),
    ]
    assert document.breaks == tuple(section.start for section in document.sections)
    assert document.title == "On tides and LaTeX"
    assert document.text == SOURCE


@pytest.mark.parametrize(
    "source", ["\\section{never closed", "\\section", "\\title{}", "\\title{\\"]
)
def test_what_is_not_closed_is_no_title(source):
    document = parse_latex(source, name="a.tex")

    assert document.sections == ()
    assert document.title == "a.tex"


def test_slides_have_titles():
    document = parse_latex("\\begin{frame}\n\\frametitle<2>{Results}\nx\\end{frame}", name="a.tex")

    assert [(s.level, s.title) for s in document.sections] == [(8, "Results")]
