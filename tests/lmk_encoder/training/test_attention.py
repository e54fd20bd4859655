"""Attention by products against torch's own: same output, same gradients."""

import copy

import pytest
import torch
from torch.nn import functional

from lmk_encoder.automodel import load_model
from lmk_encoder.training import attention
from lmk_encoder.training.attention import ProductAttention, use_product_attention


@pytest.fixture
def inputs():
    torch.manual_seed(0)
    return [torch.randn(3, 2, 7, 4, dtype=torch.float64, requires_grad=True) for _ in range(3)]


def gradients(attend, inputs):
    for each in inputs:
        each.grad = None
    attend(*inputs).square().sum().backward()
    return [each.grad.clone() for each in inputs]


@pytest.mark.parametrize("texts", [None, 1, 3])
def test_gradients_are_those_of_torch(inputs, texts):
    mask = None
    if texts is not None:
        mask = torch.zeros(texts, 1, 7, 7, dtype=torch.float64)
        mask[-1, :, :, 5:] = -torch.inf
        mask[0, :, 2, :3] = -torch.inf
    ours = gradients(lambda q, k, v: ProductAttention.apply(q, k, v, mask, 0.3), inputs)

    theirs = gradients(
        lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.3),
        inputs,
    )

    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-5)


def test_a_model_learns_the_same(base, monkeypatch):
    """Padding and all, to the weights; and it is ours that ran."""
    calls = []
    apply = ProductAttention.apply
    monkeypatch.setattr(
        attention.ProductAttention, "apply", lambda *args: calls.append(1) or apply(*args)
    )
    plain = load_model(base, torch.float32)
    ours = copy.deepcopy(plain)
    use_product_attention(ours)
    ids = torch.arange(24).view(2, 12) % 9 + 3
    mask = torch.ones_like(ids)
    mask[1, 8:] = 0
    found = []
    for model in (plain, ours):
        states = model.eval()(input_ids=ids, attention_mask=mask).last_hidden_state
        (states * mask.unsqueeze(-1)).square().mean().backward()
        found.append([p.grad for p in model.parameters() if p.grad is not None])

    assert len(calls) == plain.config.num_hidden_layers
    torch.testing.assert_close(found[1], found[0], atol=1e-5, rtol=1e-4)


def test_reading_takes_torchs_own(base, monkeypatch):
    monkeypatch.setattr(attention.ProductAttention, "apply", None)
    model = load_model(base, torch.float32)
    use_product_attention(model)

    with torch.inference_mode():
        states = model(input_ids=torch.tensor([[3, 4, 5]])).last_hidden_state

    assert states.shape[:2] == (1, 3)


def test_a_row_that_sees_nothing_teaches_nothing():
    """Padding far from all words, where a model attends locally."""
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 2, 4, 8, requires_grad=True) for _ in range(3))
    seen = torch.ones(1, 1, 4, 4, dtype=torch.bool)
    seen[0, 0, 3] = False
    module = torch.nn.Identity()

    out, _ = attention._attention(module, q, k, v, seen)
    out[:, :3].sum().backward()

    assert all(each.grad.isfinite().all() for each in (q, k, v))
    assert not q.grad[:, :, 3].any()
