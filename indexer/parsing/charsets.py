"""Names of charsets to Python's codecs, as browsers take them (WHATWG, Encoding Standard) (pure).

A name stands for the largest charset that is written under it: a page that calls itself Shift_JIS
holds letters that only Microsoft's extension of it has, and one of them must not spoil the page.
"""

import codecs
import re

_SUPERSETS = {  # of what Python takes a name for
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_jp": "euc_jis_2004",
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
}
_NAMES = {  # which Python does not know, in small letters and digits; the last ones are LaTeX's
    **{"gb231280": "gb18030", "csgb2312": "gb18030", "cngb": "gb18030", "windows936": "gb18030"},
    **{"cnbig5": "big5hkscs", "csbig5": "big5hkscs"},
    **{"windows31j": "cp932", "cswindows31j": "cp932"},
    **{"ksc56011989": "cp949", "windows949": "cp949"},
    **{"windows874": "cp874", "dos874": "cp874"},
    **{"iso88598i": "iso8859-8", "iso88598e": "iso8859-8"},
    **{"koi": "koi8-r", "koi8": "koi8-r", "koi8ru": "koi8-u"},
    **{"csunicode11utf7": "utf-7"},
    **{
        "ansinew": "cp1252",
        "applemac": "mac-roman",
        "macce": "mac-latin2",
        "maccyr": "mac-cyrillic",
    },
}
_EXPERIMENTAL = re.compile(r"\A(?:x-)+")
_PUNCTUATION = re.compile("[^a-z0-9]")


def codec_of(name: str) -> str | None:
    """The codec for texts that declare the charset ``name``, or None if nobody knows it.

    Example: "gb2312" and "x-gbk" give "gb18030".
    """
    plain = _EXPERIMENTAL.sub("", name.lower())
    squeezed = _PUNCTUATION.sub("", plain)
    for known in (name, plain, squeezed, _NAMES.get(squeezed, "")):
        try:
            codec = codecs.lookup(known).name
        except (LookupError, ValueError):
            continue
        return _SUPERSETS.get(codec, codec)
    return None
