"""What ``encode.py`` measures, each by itself: a rival, shares, queries, the start."""

import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.functional import linear

from benchmarks.harness.backends import load_backends
from benchmarks.harness.corpus import ROOT
from benchmarks.harness.plain import base_model_folder, load_mean_pooled
from benchmarks.harness.report import Figure
from benchmarks.harness.timing import timed
from lmk_encoder import LandmarkEncoder, Sentences, TextInput
from lmk_encoder.lazy import LazyEncoder
from lmk_encoder.postnorm import PostNormEncoder

Way = Callable[[Sequence[str]], int]  # encodes texts, returns the tokens it read
SHORTEST = 32
WHOLE = "st default, whole"
BACKEND_BATCH = 8
QUERIES = (
    "How are frames checked?",
    "wind turbine noise limits",
    "Who may open the sluice when the lock keeper is away?",
)


def repeated(encoder: LandmarkEncoder, source: str, tokens: int) -> str:
    """About so many tokens of ``source``, which is repeated if it is too short."""
    times = math.ceil(tokens / encoder.count_tokens(source[:200_000]) + 0.1)
    text = source[:200_000] * times
    return text[: int(len(text) * tokens / encoder.count_tokens(text))]


def mixed_documents(encoder: LandmarkEncoder, source: str, longest: int) -> list[str]:
    """Documents of 32, 64 ... ``longest`` tokens, each from another place of the source."""
    documents, start, tokens = [], 0, SHORTEST
    while tokens <= longest:
        documents.append(repeated(encoder, source[start:] + source[:start], tokens))
        start = (start + len(documents[-1])) % len(source)
        tokens *= 2
    return documents


def load_sentence_transformers(
    encoder: LandmarkEncoder, documents: Sequence[str], *, whole: bool
) -> Mapping[str, Way]:
    """Its ways by name; none, with a line on stderr, where it is not installed.

    The ``documents`` are cut into pieces of our window here, before any clock starts.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        print(
            "sentence-transformers is not installed: its figures stay empty. "
            'Install it with: pip install -e ".[bench]"',
            file=sys.stderr,
        )
        return {}
    device, window = encoder.device.type, encoder.max_window

    def way(model: Any, batch: int) -> Way:
        pieces = {text: list(cut(model, text, model.max_seq_length - 2)) for text in documents}

        def encode(texts: Sequence[str]) -> int:
            parts = [part for text in texts for part, _ in pieces[text]]
            model.encode(parts, batch_size=batch, show_progress_bar=False)
            return sum(tokens for text in texts for _, tokens in pieces[text])

        return encode

    base = base_model_folder()
    backends = load_backends(base, window) if base and device == "cpu" else {}
    folder = base if base and backends else encoder.folder  # all rivals have the same weights
    plain = load_mean_pooled(folder, window, "float32", device)
    best = load_mean_pooled(folder, window, encoder.dtype, device)
    ways = {"st default": way(plain, 32), "st best": way(best, 8 if device == "cpu" else 256)}
    ways |= {name: way(model, BACKEND_BATCH) for name, model in backends.items()}
    if whole:
        longest = max(map(encoder.count_tokens, documents)) + 2
        ways[WHOLE] = way(load_mean_pooled(folder, longest, "float32", device), 32)
    return ways


def cut(model: Any, text: str, tokens: int) -> Iterator[tuple[str, int]]:
    """Pieces of at most so many tokens, [CLS] and [SEP] not counted, and their number."""
    found = model.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    ends = [end for _, end in found["offset_mapping"]]
    start = 0
    for first in range(0, len(ends), tokens):
        last = min(first + tokens, len(ends))
        yield text[start : ends[last - 1]], last - first
        start = ends[last - 1]


@contextmanager
def one_thread() -> Iterator[None]:
    """One core: kernels are compared, not how well they share the machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def gemm_share(encoder: LandmarkEncoder, *, length: int, rounds: int) -> dict[str, Figure]:
    """Operations per second of a forward pass over those of its bare matrix products.

    Two texts of ``length`` ids with a landmark every 64, on one core, turn about with products
    of the model's four shapes for as many rows. Attention is counted: 4 L² D a layer. So is only
    what is computed: in the last layer the states that nobody reads are left out.
    """
    config = json.loads((encoder.folder / "config.json").read_text(encoding="utf-8"))
    width, inner = config["hidden_size"], config["intermediate_size"]
    layers, batch, read_every = config["num_hidden_layers"], 2, 64
    dtype = getattr(torch, encoder.dtype)
    model = PostNormEncoder.read(encoder.folder, dtype)
    if model is None or encoder.device.type != "cpu":
        return {"gemm_share_512": None, "gemm_gflops": None, "mflop_per_token": None}
    model = model.on(encoder.device)
    rows, kept = batch * length, batch * length // read_every
    ids = torch.randint(1000, config["vocab_size"], (batch, length))
    read = torch.zeros(batch, length, dtype=torch.bool)
    read[:, read_every - 1 :: read_every] = True
    maps = [(width, 3 * width), (width, width), (width, inner), (inner, width)]
    per_row = 2 * sum(a * b for a, b in maps)
    behind = per_row - 2 * width * 3 * width  # what a row costs after its queries, keys, values
    flops = (layers - 1) * rows * (per_row + 4 * length * width)
    flops += rows * 2 * width * 3 * width + kept * (behind + 4 * length * width)
    products = [(torch.randn(rows, a).to(dtype), torch.randn(b, a).to(dtype)) for a, b in maps]

    def gemm() -> None:
        for left, right in products:
            linear(left, right)

    shares, rates = [], []
    with one_thread(), torch.inference_mode():
        for _ in range(rounds):
            model_s = cpu_time(lambda: model(ids, None, read))
            gemm_s = min(cpu_time(gemm) for _ in range(3))
            rates.append(rows * per_row / gemm_s)
            shares.append(flops / model_s / rates[-1])
    return {
        "gemm_share_512": statistics.median(shares),
        "gemm_gflops": statistics.median(rates) / 1e9,
        "mflop_per_token": flops / rows / 1e6,
    }


def cpu_time(work: Callable[[], object]) -> float:
    """Processor seconds of one call."""
    began = time.process_time()
    work()
    return time.process_time() - began


def preparation_share(
    encoder: LandmarkEncoder, documents: Sequence[str], source: str, *, megabytes: float
) -> dict[str, Figure]:
    """The share of processor time that is not the model: tokens, sentences, windows, vectors.

    For the documents together, and for one long text, of which the model's part is reckoned from
    theirs. ``tokenise_share`` is the greater of the two.
    """

    def encode(texts: Sequence[str]) -> int:
        inputs = [TextInput(text, Sentences(64)) for text in texts]
        return sum(document.num_tokens for document in encoder.encode_document(inputs))

    size = int(megabytes * 1e6)
    long = (source * (size // len(source) + 1))[:size]
    whole = timed(lambda: encode(documents))
    with model_replaced(encoder):
        around = timed(lambda: encode(documents))
        around_long = timed(lambda: encode([long]))
    share = around.cpu_seconds / whole.cpu_seconds
    model_s = (whole.cpu_seconds - around.cpu_seconds) / whole.tokens * around_long.tokens
    share_long = around_long.cpu_seconds / (around_long.cpu_seconds + model_s)
    return {
        "tokenise_share": max(share, share_long),
        "tokenise_share_mixed": share,
        "tokenise_share_long": share_long,
        "tokenise_tokens_per_cpu_s": around_long.per_cpu_s,
    }


@contextmanager
def model_replaced(encoder: LandmarkEncoder) -> Iterator[None]:
    """The model gives ones at no cost, so that what remains can be timed."""
    backbone = encoder._backbone
    run = backbone.run

    def ones(ids: torch.Tensor, *_: object) -> torch.Tensor:
        return torch.ones(()).expand(*ids.shape, backbone.dimension)

    backbone.run = ones  # type: ignore[method-assign]
    try:
        yield
    finally:
        backbone.run = run  # type: ignore[method-assign]


def query_times(encoder: LandmarkEncoder) -> dict[str, Figure]:
    """Milliseconds of a short query, one at a time: as a search encodes it, and in torch."""
    ways = {"query": LazyEncoder(encoder.folder), "query_torch": encoder}
    figures: dict[str, Figure] = {}
    for name, way in ways.items():
        times, cpu_times = [], []
        for number in range(30):
            began, cpu_began = time.perf_counter(), time.process_time()
            way.encode_query([QUERIES[number % len(QUERIES)]])
            times.append(1000 * (time.perf_counter() - began))
            cpu_times.append(1000 * (time.process_time() - cpu_began))
        figures[f"{name}_ms"] = statistics.median(times[5:])
        figures[f"{name}_cpu_ms"] = statistics.median(cpu_times[5:])
    return figures


_LOAD = """
import json, time
began = time.perf_counter()
import lmk_encoder.encoder as e
imported = time.perf_counter()
encoder = e.LandmarkEncoder(device={device!r})
loaded = time.perf_counter()
encoder.encode_query([{query!r}])
asked = time.perf_counter()
print(json.dumps([imported - began, loaded - imported, 1000 * (asked - loaded)]))
"""
_SEARCH = """
import json, time
began, cpu_began = time.perf_counter(), time.process_time()
from lmk_encoder.lazy import LazyEncoder
encoder = LazyEncoder()
encoder.encode_query([{query!r}])
first, first_cpu = time.perf_counter(), time.process_time()
encoder.encode_query([{other!r}])
second = time.perf_counter()
print(json.dumps([first - began, first_cpu - cpu_began, 1000 * (second - first)]))
"""


def start_times(device: str | None, *, repeats: int) -> dict[str, Figure]:
    """New processes: the best run of each figure.

    Seconds to import torch and to load the model after it, and its first query in milliseconds;
    then a search's way to the vector of its query (imports, loading, the query) in wall time and
    in processor time, and the query after that in milliseconds.
    """
    loaded = _best_of_processes(_LOAD.format(device=device, query=QUERIES[0]), repeats)
    asked = _best_of_processes(_SEARCH.format(query=QUERIES[0], other=QUERIES[2]), repeats)
    return {
        **dict(zip(("import_s", "load_s", "first_query_ms"), loaded, strict=True)),
        **dict(zip(("search_s", "search_cpu_s", "search_next_ms"), asked, strict=True)),
    }


def _best_of_processes(code: str, repeats: int) -> list[float]:
    """The least of each number that ``code`` prints as JSON, over so many new processes."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    runs = []
    for _ in range(repeats):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        runs.append(json.loads(done.stdout.splitlines()[-1]))
    return [min(column) for column in zip(*runs, strict=True)]
