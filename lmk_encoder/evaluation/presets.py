"""The paper's lists of MTEB tasks, with its splits, languages, lengths and metrics (pure)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

NDCG, PRECISION, MACRO_F1 = "ndcg_at_10", "precision_at_1", "f1"
LONG_TOKENS, LONGEST_TOKENS = 8_192, 32_768


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """One task as it is to be run.

    Attributes:
        name: as mteb knows it.
        splits: to be run and averaged; empty leaves them to the task.
        languages: of a multilingual task, as mteb writes them ("eng"); empty is all of them.
        metric: mteb's key of the score that counts; empty is the task's main score.
        max_tokens: length of queries and documents; None cuts nothing off.
    """

    name: str
    splits: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    metric: str = ""
    max_tokens: int | None = None


def _retrieval(names: str, split: str = "test") -> tuple[TaskSpec, ...]:
    common = TaskSpec("", (split,), (), NDCG, LONG_TOKENS)
    return tuple(replace(common, name=name) for name in names.split())


# Needle and passkey have a split for every length and count by precision@1, the others by nDCG@10.
_HAYSTACKS = tuple(
    TaskSpec(name, tuple(f"test_{2**n}" for n in range(8, 16)), (), PRECISION, LONGEST_TOKENS)
    for name in ("LEMBNeedleRetrieval", "LEMBPasskeyRetrieval")
)
_LONG = (
    "LEMBQMSumRetrieval LEMBSummScreenFDRetrieval LEMBWikimQARetrieval LEMBNarrativeQARetrieval"
).split()

PRESETS: dict[str, tuple[TaskSpec, ...]] = {
    "msmarco": _retrieval("MSMARCO", "dev"),
    "beir": (
        *_retrieval(
            "NFCorpus NQ HotpotQA Touche2020 CQADupstackRetrieval QuoraRetrieval DBPedia FEVER "
            "ClimateFEVER SciFact TRECCOVID FiQA2018 ArguAna SCIDOCS"
        ),
        *_retrieval("MSMARCO", "dev"),
    ),
    "mteb-v2-retrieval": _retrieval(
        "ArguAna FiQA2018 SCIDOCS CQADupstackUnixRetrieval CQADupstackGamingRetrieval "
        "ClimateFEVERHardNegatives FEVERHardNegatives HotpotQAHardNegatives TRECCOVID "
        "Touche2020Retrieval.v3"
    ),
    "miracl": _retrieval("MIRACLRetrievalHardNegatives", "dev"),
    "miracl-en": (TaskSpec("MIRACLRetrievalHardNegatives", ("dev",), ("eng",), NDCG, LONG_TOKENS),),
    "mldr": _retrieval("MultiLongDocRetrieval"),
    "mldr-en": (TaskSpec("MultiLongDocRetrieval", ("test",), ("eng",), NDCG, LONG_TOKENS),),
    "coir": _retrieval(
        "AppsRetrieval CodeFeedbackMT CodeFeedbackST CodeTransOceanContest CodeTransOceanDL CosQA "
        "SyntheticText2SQL StackOverflowQA COIRCodeSearchNetRetrieval CodeSearchNetCCRetrieval"
    ),
    "longembed": (
        *_HAYSTACKS,
        *(TaskSpec(name, (), (), NDCG, LONGEST_TOKENS) for name in _LONG),
    ),
    "multi-eurlex": (
        TaskSpec(
            "MultiEURLEXMultilabelClassification",
            ("test",),
            metric=MACRO_F1,
            max_tokens=LONG_TOKENS,
        ),
    ),
}


def task_specs(names: Sequence[str]) -> list[TaskSpec]:
    """The tasks of presets and of single names, each once, in the order they are named."""
    specs = [spec for name in names for spec in PRESETS.get(name, (TaskSpec(name),))]
    return list({(spec.name, spec.splits, spec.languages): spec for spec in specs}.values())
