"""Soft places to cut code at. The only module that knows langchain-text-splitters."""

import re
from functools import cache

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

_NAMES = {  # ours to langchain's, where they differ
    "javascript": "js",
    "typescript": "ts",
    "vue": "ts",
    "solidity": "sol",
    "dart": "java",
    "groovy": "java",
    "objectivec": "c",
    "vb": "visualbasic6",
    "shell": "powershell",
}


def soft_borders(text: str, language: str) -> list[int]:
    """Line starts of ``text`` where a statement or block begins, rising.

    After blank lines in every language; before the keywords at which langchain's recursive
    splitter cuts ``language``, at any indentation.
    """
    end = len(text.rstrip())  # blank lines behind it would be read again from each of them
    return [found.end() for found in _border_pattern(language).finditer(text, 0, end)]


@cache
def _border_pattern(language: str) -> re.Pattern[str]:
    """Ends at the start of a line that holds text, so that blank lines stay with what they follow.

    langchain's separators are regular expressions that begin with a line end; those that are
    nothing but white space (the blank line, the word gap) are covered or too fine.
    """
    separators = [found for found in _separators(language) if found.strip(" \t\n")]
    keywords = [found.removeprefix("\\n").lstrip("\n\t") for found in separators]
    before_keyword = f"\\n(?=[ \\t]*(?:{'|'.join(keywords)}))" if keywords else "(?!)"
    after_blank = r"\n[^\S\n]*+\n(?:[^\S\n]*+\n)*+"
    return re.compile(f"{after_blank}|{before_keyword}")


def _separators(language: str) -> list[str]:
    try:
        return RecursiveCharacterTextSplitter.get_separators_for_language(
            Language(_NAMES.get(language, language))
        )
    except ValueError:  # a language that langchain does not know, or has not implemented
        return []
