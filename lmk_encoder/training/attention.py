"""Attention for training on a processor: torch's forward pass, and a backward pass by products.

torch's own backward pass computes block by block what matrix units do at once. In bfloat16 it
takes up to 44 % of a training step (docs/experiments.md); by products about half as long.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

NAME = "lmk_products"
HIDDEN = -10_000.0  # not minus infinity: rows that see nothing (padding) would have no softmax


def use_product_attention(model: nn.Module) -> None:
    """Let a transformers model attend by ``ProductAttention`` where that is exact and faster.

    Models that do not take torch's attention (sdpa) stay as they are.
    """
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    if getattr(model.config, "_attn_implementation", None) != "sdpa":
        return
    AttentionInterface.register(NAME, _attention)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    model.set_attn_implementation(NAME)  # type: ignore[operator]


class ProductAttention(torch.autograd.Function):
    """softmax(q k' * scale + mask) v. q, k, v (B, H, T, D); mask (B or 1, 1, T, T) added, or none.

    The backward pass keeps the probabilities of one text at a time.
    """

    @staticmethod
    def forward(  # noqa: D102
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, scale: float
    ) -> Tensor:
        out = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale)
        ctx.save_for_backward(q, k, v, out, mask)
        ctx.scale = scale
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:  # noqa: D102
        q, k, v, out, mask = ctx.saved_tensors
        gradient = gradient.to(q.dtype).contiguous()
        delta = (gradient.float() * out.float()).sum(dim=-1, keepdim=True).to(q.dtype)
        scaled = q * ctx.scale
        of_q, of_k, of_v = (
            torch.empty_like(each, memory_format=torch.contiguous_format) for each in (q, k, v)
        )
        for text in range(len(q)):
            keys, values, taught = k[text], v[text], gradient[text]
            scores = scaled[text] @ keys.transpose(1, 2)  # (H, T, T)
            if mask is not None:
                scores += mask[min(text, len(mask) - 1)]
            shares = scores.softmax(dim=-1)
            torch.matmul(shares.transpose(1, 2), taught, out=of_v[text])
            change = taught @ values.transpose(1, 2)
            change.sub_(delta[text]).mul_(shares)
            torch.matmul(change, keys, out=of_q[text])
            torch.matmul(change.transpose(1, 2), scaled[text], out=of_k[text])
        return of_q.mul_(ctx.scale), of_k, of_v, None, None


def _attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **options: Any,
) -> tuple[Tensor, None]:
    """As transformers asks for it: (B, H, T, D) in, (B, T, H, D) out."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    is_plain = (
        query.device.type == "cpu"
        and torch.is_grad_enabled()
        and not dropout
        and key.shape == query.shape
        and not (attention_mask is None and getattr(module, "is_causal", False))
    )
    if not is_plain:
        return sdpa_attention_forward(  # type: ignore[no-any-return]
            module, query, key, value, attention_mask, dropout=dropout, scaling=scaling, **options
        )
    dtype = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else value.dtype
    query, key, value = (each.to(dtype) for each in (query, key, value))
    if attention_mask is not None and attention_mask.dtype == torch.bool:
        hidden = torch.zeros_like(attention_mask, dtype=dtype)
        attention_mask = hidden.masked_fill_(~attention_mask, HIDDEN)
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    with torch.autocast("cpu", enabled=False):
        out = ProductAttention.apply(query, key, value, attention_mask, scale)  # type: ignore[no-untyped-call]
    return out.transpose(1, 2).contiguous(), None
