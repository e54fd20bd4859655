"""The objective over a tiny student, against vectors computed the plain way."""

import copy

import numpy as np
import pytest
import torch

from lmk_encoder.automodel import load_model
from lmk_encoder.config import EncoderConfig
from lmk_encoder.encoder import LandmarkEncoder
from lmk_encoder.landmarks import Interval, Slices
from lmk_encoder.tokenization import LandmarkTokenizer
from lmk_encoder.training import objective as objective_module
from lmk_encoder.training.collate import Collator
from lmk_encoder.training.config import LossSettings, ModelSettings
from lmk_encoder.training.examples import Key
from lmk_encoder.training.layouts import TextLayouts
from lmk_encoder.training.losses import info_nce
from lmk_encoder.training.objective import Objective
from lmk_encoder.training.sources import open_rows
from lmk_encoder.training.student import Student
from lmk_encoder.training.teachers import SpanTeacher, WindowTeacher
from lmk_encoder.types import TextInput

KEYS = [Key(0, row, 0) for row in range(4)]


@pytest.fixture
def student(base):
    return Student(load_model(base, torch.float32), EncoderConfig.load(base), base)


@pytest.fixture
def collate(base, data):
    def make(name="pairs", group=2, **settings):
        config = EncoderConfig.load(base)
        model = ModelSettings(
            **{"granularity": 8, "passage_tokens": 60, "query_tokens": 16, **settings}
        )
        layouts = TextLayouts(LandmarkTokenizer.load(base, config), config, model)
        return Collator([open_rows(data / f"{name}.jsonl")], [group], [layouts], 0, 0)

    return make


def columns(batch):
    """As the library's trainer takes them apart."""
    found = [
        {key[len(name) + 1 :]: value for key, value in batch.items() if key.startswith(name + "_")}
        for name in ("query", "passage")
    ]
    return [column for column in found if column]


def run(student, batch, losses, teachers=(), mini_batch_tokens=None):
    caching = mini_batch_tokens is not None
    objective = Objective(student, losses, teachers, mini_batch_tokens, gradient_caching=caching)
    return objective(columns(batch), batch.get("label"))


def test_training_and_use_give_the_same_vectors(base, data, student, collate):
    """The whole path: layout, windows with left context, pooling."""
    batch = collate(passage_tokens=400, window_tokens=64, group=1)(KEYS)
    with torch.no_grad():
        (vectors, local, _) = Objective(student.eval(), [])._encode(columns(batch)[1])

    encoder = LandmarkEncoder(base, device="cpu", dtype="float32")
    rows = open_rows(data / "pairs.jsonl")
    texts = [TextInput(rows[key.row].positives[0], Interval(8)) for key in KEYS]
    documents = encoder.encode_document(texts)
    assert min(document.num_windows for document in documents) > 1
    np.testing.assert_allclose(vectors.numpy(), [d.vector for d in documents], atol=1e-5)
    expected = np.concatenate([document.landmark_vectors for document in documents])
    np.testing.assert_allclose(local.numpy(), expected, atol=1e-5)


@pytest.mark.parametrize("pooling", ["cls", "mean", "every_k", "last", "multicls"])
def test_the_rivals_are_pooled_alike(base, data, pooling):
    """Trap T8, T25: what each takes in is one definition for training and use."""
    settings = {"pooling": pooling, "end_token": "[SEP]", "granularity": 8}
    encoder = LandmarkEncoder(base, device="cpu", dtype="float32", settings=settings)
    config = encoder.config
    layouts = TextLayouts(
        LandmarkTokenizer.load(base, config),
        config,
        ModelSettings(granularity=8, passage_tokens=64, chunks="fixed"),
    )
    rows = open_rows(data / "pairs.jsonl")
    batch = Collator([rows], [1], [layouts], 0, 0)(KEYS)
    student = Student(load_model(base, torch.float32), config, base).eval()
    with torch.no_grad():
        (vectors, *_) = Objective(student, [])._encode(columns(batch)[1])

    texts = [rows[key.row].positives[0] for key in KEYS]
    expected = encoder.encode(texts, policy=Slices(8), max_tokens=64)
    np.testing.assert_allclose(vectors.numpy(), expected, atol=1e-5)


def test_infonce_is_that_of_the_vectors(student, collate):
    batch = collate()(KEYS)
    student.eval()

    (term,) = run(student, batch, [LossSettings(kind="infonce", temperature=0.05)]).values()

    objective = Objective(student, [LossSettings(kind="infonce")])
    queries, passages = (objective._encode(column).vectors for column in columns(batch))
    scores = queries @ passages.T / 0.05
    # The negatives of the data are the same three texts: copies of a query's own are left out.
    keys = columns(batch)[1]["keys"]
    own = torch.arange(8).view(4, 2)
    exclude = (keys[None, :] == keys[own[:, 1]][:, None]).scatter(1, own, False)
    torch.testing.assert_close(term, info_nce(scores, own[:, 0], exclude))


ALL_LOSSES = [
    LossSettings(kind="distillation"),
    LossSettings(kind="infonce", on="landmarks", temperature=0.05, reverse=0.5),
    LossSettings(kind="landmark_distillation", on="landmarks", teacher="self", short_spans=8),
    LossSettings(kind="landmark_distillation", on="queries", teacher="self", divergence=0),
]


@pytest.mark.parametrize("mini_batch_tokens", [50, 100_000])
def test_gradient_caching_changes_no_gradient(student, collate, mini_batch_tokens):
    """In double precision: in single, another order of sums moves them by one in a hundred on some
    processors."""
    batch = collate(window_tokens=40)(KEYS)
    teachers = [WindowTeacher(student)] * 2
    gradients = []
    for budget in (None, mini_batch_tokens):
        model = copy.deepcopy(student).double().eval()
        terms = run(model, batch, ALL_LOSSES, teachers, budget)
        sum(terms.values()).backward()
        gradients.append({name: value.grad for name, value in model.named_parameters()})

    for name, gradient in gradients[0].items():
        if gradient is not None:
            torch.testing.assert_close(gradients[1][name], gradient, atol=1e-12, rtol=1e-9)


def test_gradient_caching_repeats_the_dropout(student, collate, monkeypatch):
    """The second pass must see the dropout of the first: the gradient then is that of the loss."""
    batch = collate()(KEYS)
    gradients = []
    for _ in range(2):
        torch.manual_seed(3)
        sum(run(student.train(), batch, ALL_LOSSES[:1], (), 100).values()).backward()
        gradients.append({n: p.grad for n, p in student.named_parameters() if p.grad is not None})
        student.zero_grad()
        monkeypatch.setattr(objective_module, "checkpoint", lambda f, *x, use_reentrant: f(*x))

    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], gradient)


def test_every_term_has_its_name(student, collate):
    terms = run(student, collate()(KEYS), ALL_LOSSES, [WindowTeacher(student)] * 2)

    assert list(terms) == [
        "landmark_distillation_landmarks",
        "landmark_distillation_queries",
        "distillation_document",
        "infonce_landmarks",
    ]


def test_on_texts_is_for_plain_texts_only(student, collate):
    loss = LossSettings(kind="landmark_distillation", on="texts", teacher="self")
    teachers = [WindowTeacher(student)]

    assert run(student, collate()(KEYS), [loss], teachers) == {}
    (name,) = run(student, collate("texts")(KEYS), [loss], teachers)
    assert name == "landmark_distillation_texts"


def test_a_student_that_is_its_teacher_has_nothing_to_learn(student, collate):
    terms = run(student.eval(), collate("texts")(KEYS), ALL_LOSSES, [WindowTeacher(student)] * 2)

    assert list(terms) == ["landmark_distillation_landmarks"]  # texts have no queries
    assert terms["landmark_distillation_landmarks"].item() == pytest.approx(0, abs=1e-5)


def test_a_teacher_of_spans_encodes_each_alone(base, collate):
    encoder = LandmarkEncoder(base, device="cpu", dtype="float32")
    (passages,) = columns(collate("texts")(KEYS))

    vectors, known = SpanTeacher(encoder)(passages)

    assert known.tolist() == list(range(len(passages["span_texts"])))
    expected = encoder.encode([passages["span_texts"][3]])[0]
    np.testing.assert_allclose(vectors[3].numpy(), expected, atol=1e-5)


def test_a_teacher_in_context_sees_what_the_student_sees(base, student, collate):
    """The same checkpoint over the same passages: nothing to learn, to the last span."""
    encoder = LandmarkEncoder(base, device="cpu", dtype="float32")
    (passages,) = columns(collate("texts", passage_tokens=400, window_tokens=64)(KEYS))
    with torch.no_grad():
        (_, local, _) = Objective(student.eval(), [])._encode(passages)

    vectors, known = SpanTeacher(encoder, context=1.0)(passages)

    assert known.tolist() == list(range(len(passages["span_texts"])))
    np.testing.assert_allclose(vectors.numpy(), local.numpy(), atol=1e-5)


def test_a_teacher_mixes_both_sights_of_a_span(base, collate):
    encoder = LandmarkEncoder(base, device="cpu", dtype="float32")
    (passages,) = columns(collate("texts")(KEYS))
    alone, _ = SpanTeacher(encoder)(passages)
    within, _ = SpanTeacher(encoder, context=1.0)(passages)

    mixed, _ = SpanTeacher(encoder, context=0.25)(passages)

    expected = torch.nn.functional.normalize(0.75 * alone + 0.25 * within, dim=1)
    np.testing.assert_allclose(mixed.numpy(), expected.numpy(), atol=1e-5)
    assert (mixed - alone).abs().max() > 1e-4  # the tiny model tells little apart


def test_blank_spans_are_not_taught_and_shift_nothing(base):
    encoder = LandmarkEncoder(base, device="cpu", dtype="float32")
    spans = ["oak elm ", "  \n", " ash", "fir yew", " "]
    column = {
        "input_ids": torch.zeros(2, 1),
        "span_texts": spans,
        "texts": torch.tensor([0, 1]),
        "landmarks": torch.tensor([[[0, 1], [1, 2], [2, 3]], [[0, 1], [1, 2], [-1, -1]]]),
    }

    vectors, known = SpanTeacher(encoder, context=1.0)(column)

    assert known.tolist() == [0, 2, 3]
    document = TextInput("oak elm   \n ash", Interval(32), (8,))
    (first,) = encoder.encode_document([document])
    np.testing.assert_allclose(vectors[:2].numpy(), first.landmark_vectors, atol=1e-5)


def test_a_teacher_of_queries_reads_them_as_queries(base, collate):
    encoder = LandmarkEncoder(
        base, device="cpu", dtype="float32", settings={"query_prompt": "ask "}
    )
    (queries, _) = columns(collate()(KEYS))

    vectors, _ = SpanTeacher(encoder, are_queries=True)(queries)

    span = queries["span_texts"][1]
    expected = encoder.encode_query([span])[0]
    np.testing.assert_allclose(vectors[1].numpy(), expected, atol=1e-5)
    assert np.abs(expected - encoder.encode([span])[0]).max() > 1e-4


def test_bfloat16_is_for_the_model_only(student, collate):
    """Similarities divided by 0.02 would lose their digits."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        terms = run(student, collate()(KEYS), ALL_LOSSES[:2])

    assert {term.dtype for term in terms.values()} == {torch.float32}
