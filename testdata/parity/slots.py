"""Records an SMLM whose masked words are groups of slots (package smlm, slots.go): see make.py for how to run this and for the files.

A group of SLOTS positions stands where words are hidden. Its targets are these words and then empty ones, which are <eos>; its inputs are
<mask> and then <eos>. smlm_slots.safetensors holds such a training, of the mean loss of the hidden words, and

    expect.fills   for every slot the words, the likeliest first, and <eos>
    expect.asked   log q of each where the other style is asked for; expect.own where the sentence's own is
"""

import torch
from torch.nn import functional as F

from make import BATCH, DST, EOS, MASK, SMLM, SPECIAL, SRC, VOCAB, Record, build, train

SLOTS = 2
# What stands in each sentence: "w" a word, 0 to 2 a group that hides so many.
SENTENCES = [["w", 1, "w", "w", 2, "w", "w"], [0, "w", "w", "w", 1, "w", "w"], [1, 1, 2, "w", "w", "w"], ["w"] * 9,
             ["w", 2, 0, "w", 1, "w"], ["w", 1, "w", "w", "w", "w", 1]]


def sentences(seed):
    """Targets, masks, inputs without codes, and styles."""
    torch.manual_seed(seed)
    ids, mask, inputs = [], [], []
    for parts in SENTENCES:
        a, b, c = [], [], []
        for part in parts:
            words = torch.randint(SPECIAL, VOCAB, (1 if part == "w" else part,)).tolist()
            if part == "w":
                a, b, c = a + words, b + [False], c + words
            else:
                a, b, c = a + words + [EOS] * (SLOTS - part), b + [True] * SLOTS, c + [MASK] + [EOS] * (SLOTS - 1)
        ids, mask, inputs = ids + [a], mask + [b], inputs + [c]
    return torch.tensor(ids), torch.tensor(mask), torch.tensor(inputs), torch.arange(BATCH) % 2


def with_codes(inputs, styles, asked):
    return torch.cat([inputs, (SRC + styles).unsqueeze(1), (DST + asked).unsqueeze(1)], dim=1)


def log_q(model, given, mask):
    """Log q over all the vocabulary at every slot."""
    return F.log_softmax(model.out(model.states(given)[mask]), dim=1)


def make_slots():
    ids, mask, inputs, styles = sentences(14)
    model, record = build(SMLM, 15), Record(ids=ids, mask=mask, styles=styles)
    own, other = with_codes(inputs, styles, styles), with_codes(inputs, styles, 1 - styles)
    asked, same = log_q(model, other, mask), log_q(model, own, mask)
    order = asked[:, SPECIAL:].argsort(dim=1, descending=True) + SPECIAL
    fills = torch.cat([order, torch.full((len(order), 1), EOS)], dim=1)
    record.tensors["expect.fills"] = fills
    record.put("expect.asked", asked.gather(1, fills))
    record.put("expect.own", same.gather(1, fills))
    train(record, model, lambda: F.nll_loss(log_q(model, own, mask), ids[mask]))
    record.save("smlm_slots")


if __name__ == "__main__":
    torch.set_num_threads(1)
    make_slots()
