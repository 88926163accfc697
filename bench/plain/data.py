"""The sentences of a run, and loaders of batches in the ways a PyTorch program usually makes them."""

import json

import torch
from torch.utils.data import DataLoader

# The special tokens of package corpus.
PAD, UNK, MASK, BOS, EOS, SRC, DST, SPECIAL = 0, 1, 2, 3, 4, 5, 7, 9
IGNORE = -100  # a target that no loss counts


def read(path):
    """Returns (word ids, mask, style) of every sentence."""
    with open(path, encoding="utf-8") as f:
        text = json.load(f)
    return [(torch.tensor(ids), torch.tensor(mask), style) for ids, mask, style in zip(text["IDs"], text["Masks"], text["Styles"])]


def source(ids, mask, style, asked):
    """concat(x^m, [src], [dst])."""
    return torch.cat([ids.masked_fill(mask, MASK), torch.tensor([SRC + style, DST + asked])])


def loader(items, size, collate, shuffle, cuda):
    """Batches of so many items; for a GPU other processes make them ahead."""
    extra = {"num_workers": 4, "pin_memory": True, "persistent_workers": True} if cuda else {}
    return DataLoader(items, batch_size=size, shuffle=shuffle, collate_fn=collate, **extra)


def to(batch, device):
    """Moves every tensor of a batch; what is absent stays None."""
    return tuple(None if t is None else t.to(device, non_blocking=True) for t in batch)
