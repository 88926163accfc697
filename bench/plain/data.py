"""The sentences of a run, and loaders of batches in the ways a PyTorch program usually makes them."""

import torch
from torch.utils.data import DataLoader

# The special tokens of package corpus.
PAD, UNK, MASK, BOS, EOS, SRC, DST, SPECIAL = 0, 1, 2, 3, 4, 5, 7, 9
IGNORE = -100  # a target that no loss counts


def read(path):
    """Returns (word ids, mask, style) of every line "style TAB id id* id", where a star marks a masked word."""
    sentences = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            style, words = line.rstrip("\n").split("\t")
            words = words.split(" ")
            ids = torch.tensor([int(w.rstrip("*")) for w in words])
            mask = torch.tensor([w.endswith("*") for w in words])
            sentences.append((ids, mask, int(style)))
    return sentences


def source(ids, mask, style, asked):
    """concat(x^m, [src], [dst])."""
    return torch.cat([ids.masked_fill(mask, MASK), torch.tensor([SRC + style, DST + asked])])


class Lazy:
    """Makes an item when it is asked for, so that a GPU's loader processes do that."""

    def __init__(self, sentences, item):
        self.sentences, self.item = sentences, item

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, i):
        return self.item(*self.sentences[i])


def items(case, sentences, item):
    """Items are made before the clock starts, or for a GPU in the loader's processes."""
    if case.get("device", "cpu") != "cpu":
        return Lazy(sentences, item)
    return [item(*s) for s in sentences]


def loader(items, size, collate, shuffle, cuda):
    """Batches of so many items; on a GPU they are made ahead by other processes."""
    extra = {"num_workers": 4, "pin_memory": True, "persistent_workers": True} if cuda else {}
    return DataLoader(items, batch_size=size, shuffle=shuffle, collate_fn=collate, **extra)


def forever(batches):
    """One epoch after another."""
    while True:
        yield from batches


def to(batch, device):
    """Moves every tensor of a batch; what is absent stays None."""
    return tuple(None if t is None else t.to(device, non_blocking=True) for t in batch)
