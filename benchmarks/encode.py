"""The encoder's speed beside sentence-transformers: the same weights, the same documents.

    python benchmarks/encode.py --quick
    python benchmarks/encode.py --rounds 9 --whole

Documents of 32 to 8192 tokens are encoded turn about: by ours, and by sentence-transformers with
mean pooling, as it comes (float32, batches of 32), at its best (bfloat16 where that is fast), and
by ONNX Runtime and OpenVINO where these are installed.
sentence-transformers cuts a text off at its window, so it is given the documents in pieces of our
window: it reads every token, with the same attention. ``--whole`` also runs it on whole documents
of up to 8192 tokens. Ratios are medians over rounds of the two ways' wall times within a round;
figures ending in ``_cpu`` compare processor time, which holds on a machine that is shared.

What the other figures are stands in ``benchmarks/README.md``.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

# Run as a script, also where the project is installed without this folder.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.harness.corpus import SAMPLES
from benchmarks.harness.encoding import (
    WHOLE,
    Way,
    gemm_share,
    load_sentence_transformers,
    mixed_documents,
    preparation_share,
    query_times,
    repeated,
    start_times,
)
from benchmarks.harness.report import Figure, result, table, where
from benchmarks.harness.timing import Timing, timed
from lmk_encoder import Interval, LandmarkEncoder, TextInput

LONGEST, LONG, MEDIUM = 8192, 131_072, 2048
QUICK_ROUNDS, FULL_ROUNDS = 1, 5


def main(argv: Sequence[str] | None = None) -> None:
    """Run the benchmark and print what it found."""
    options = parse(argv)
    rounds = options.rounds or (QUICK_ROUNDS if options.quick else FULL_ROUNDS)
    encoder = LandmarkEncoder(device=options.device)
    source = texts_of(options.source)
    documents = mixed_documents(encoder, source, options.longest)
    ways = {"lmk": ours(encoder)}
    if encoder.dtype != "float32":
        ways["lmk float32"] = ours(LandmarkEncoder(device=options.device, dtype="float32"))
    ways |= load_sentence_transformers(encoder, documents, whole=options.whole)

    timings: dict[str, list[Timing]] = {name: [] for name in ways}
    for way in ways.values():
        way(documents[:3])  # kernels are compiled, memory is fetched
    for _ in range(rounds):
        for name, way in ways.items():
            timings[name].append(timed(lambda way=way: way(documents)))
    timings.setdefault("lmk float32", timings["lmk"])  # where that is the type by itself

    figures = compared(timings)
    figures |= gemm_share(encoder, length=512, rounds=2 * rounds + 1)
    figures |= growth(encoder, source, options.long, rounds=1 if options.quick else 3)
    figures |= preparation_share(encoder, documents, source, megabytes=options.megabytes)
    figures |= query_times(encoder)
    figures |= start_times(options.device, repeats=3)
    figures["device"] = f"{encoder.device} {encoder.dtype}"

    print(where())
    lengths = [encoder.count_tokens(text) for text in documents]
    print(f"{len(lengths)} documents, {sum(lengths)} tokens, {rounds} rounds\n")
    rows: list[list[Figure]] = [
        [name, *(statistics.median(rates) for rates in zip(*map(rates_of, runs), strict=True))]
        for name, runs in timings.items()
    ]
    print(table(["", "tokens/s", "tokens/CPU s"], rows) + "\n")
    print(table(["", ""], [[name, value] for name, value in figures.items()]))
    print(result("encode", figures))


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} round: a minute")
    parser.add_argument(
        "--source", type=Path, nargs="+", default=[SAMPLES], help="text files and folders of them"
    )
    parser.add_argument("--rounds", type=int, help=f"repeated runs (default: {FULL_ROUNDS})")
    parser.add_argument("--device", help="cpu, cuda ... (default: the best there is)")
    parser.add_argument("--whole", action="store_true", help="the rival on whole documents, too")
    parser.add_argument("--longest", type=int, default=LONGEST, help="tokens of the longest one")
    parser.add_argument("--long", type=int, default=LONG, help="tokens of the document of growth")
    parser.add_argument("--megabytes", type=float, default=5.0, help="the text that is tokenised")
    return parser.parse_args(argv)


def rates_of(timing: Timing) -> tuple[float, float]:
    """Tokens per second of wall time and of processor time."""
    return timing.per_s, timing.per_cpu_s


def texts_of(sources: Sequence[Path]) -> str:
    """All text files of ``sources`` as one text."""
    parts = []
    for source in sources:
        if not source.exists():
            raise SystemExit(f"{source} does not exist. Name text files or folders with --source.")
        files = sorted(source.rglob("*")) if source.is_dir() else [source]
        for file in files:
            if file.suffix in {".md", ".txt", ".py", ".c", ".rs", ".go", ".js", ".html"}:
                parts.append(file.read_text(encoding="utf-8", errors="replace"))
    if not parts:
        raise SystemExit("No text in --source. Name text files or folders of them.")
    return "\n\n".join(parts)


def ours(encoder: LandmarkEncoder) -> Way:
    """Our way: whole documents, a landmark every 64 tokens. Returns the tokens read."""

    def encode(texts: Sequence[str]) -> int:
        inputs = [TextInput(text, Interval(64)) for text in texts]
        return sum(document.num_tokens for document in encoder.encode_document(inputs))

    return encode


def compared(timings: dict[str, list[Timing]]) -> dict[str, Figure]:
    """How many times as many tokens ours reads, and how many it reads."""
    rivals = [name for name in timings if name.startswith("st ") and name != WHOLE]
    best = max(rivals, key=lambda name: _median_rate(timings[name]), default="")
    pairs = {
        "ratio_default": ("lmk", "st default"),
        "ratio_best": ("lmk", best),
        "ratio_default_float32": ("lmk float32", "st default"),
        "ratio_default_whole": ("lmk", WHOLE),
    }
    figures: dict[str, Figure] = {"best": best or None}
    for name, (own, other) in pairs.items():
        runs = list(zip(timings[own], timings.get(other, []), strict=False))
        reads: dict[str, Callable[[Timing], float]] = {
            "": lambda timing: timing.per_s,
            "_cpu": lambda timing: timing.per_cpu_s,
        }
        for suffix, read in reads.items():
            ratios = [read(a) / read(b) for a, b in runs]
            figures[name + suffix] = statistics.median(ratios) if ratios else None
    figures["tokens_per_s"] = _median_rate(timings["lmk"])
    figures["tokens_per_cpu_s"] = statistics.median(timing.per_cpu_s for timing in timings["lmk"])
    return figures


def _median_rate(runs: Sequence[Timing]) -> float:
    return statistics.median(timing.per_s for timing in runs)


def growth(encoder: LandmarkEncoder, source: str, tokens: int, rounds: int) -> dict[str, Figure]:
    """A very long document beside documents of 2k tokens: speed, and memory on top."""
    medium = repeated(encoder, source, min(MEDIUM, tokens))
    few, long = [medium] * 4, [repeated(encoder, source, tokens)]
    encode = ours(encoder)
    ratios, ratios_cpu, grown = [], [], 0.0
    for _ in range(rounds):
        short_timing = timed(lambda: encode(few))
        long_timing = timed(lambda: encode(long))
        ratios.append(long_timing.per_s / short_timing.per_s)
        ratios_cpu.append(long_timing.per_cpu_s / short_timing.per_cpu_s)
        grown = max(grown, long_timing.peak_mb - short_timing.peak_mb)
    return {
        "growth_128k": statistics.median(ratios),
        "growth_128k_cpu": statistics.median(ratios_cpu),
        "growth_memory_mb": grown,
    }


if __name__ == "__main__":
    main()
