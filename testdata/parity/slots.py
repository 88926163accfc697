"""Records an SMLM whose masked words are groups of slots (package smlm, slots.go): see make.py for how to run this and for the files.

A group of SLOTS positions stands where words are hidden. Its targets are these words and then empty ones, which are <eos>; its inputs are
<mask> and then <eos>. smlm_slots.safetensors holds such a training, of the mean loss of the hidden words, and

    expect.fills   for every slot the words, the likeliest first, and <eos>
    expect.asked   log q of each where the other style is asked for; expect.own where the sentence's own is

smlm_slots_judged.safetensors holds ten steps of fine-tuning by a judge, whose style logits are the mean of two numbers of each word,
input.table, with

    expect.choice  the words that the first step draws, counted from the first ordinary one; the one behind the last word is empty

The noise of each draw is torch.rand after torch.manual_seed(NOISE), one call a step, which libtorch draws as PyTorch does. A word drawn by
a margin that rounding could close is an error: then other weights must be drawn.
"""

import copy

import torch
from torch.nn import functional as F

from make import BATCH, DST, EOS, MASK, SMLM, SPECIAL, SRC, VOCAB, Record, build, train

SLOTS, NOISE = 2, 77
STYLE, KL, REC, TEMPERATURE = 1.0, 0.7, 0.5, 0.8
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


def make_judged():
    ids, mask, inputs, styles = sentences(16)
    model = build(SMLM, 17)
    with torch.no_grad():
        model.out.bias[EOS] += 2.5  # so that some slots are drawn empty and some are not
    before = copy.deepcopy(model)
    torch.manual_seed(18)
    table = torch.randn(VOCAB, 2)
    record = Record(ids=ids, mask=mask, styles=styles)
    record.tensors["input.table"] = table
    own, other = with_codes(inputs, styles, styles), with_codes(inputs, styles, 1 - styles)
    vectors = torch.cat([table[SPECIAL:], torch.zeros(1, 2)])  # the empty word is the last
    lengths = set()

    def written(model):
        """Log q of the words that may be written, the empty one the last."""
        logits = model.out(model.states(other)[mask])
        return F.log_softmax(torch.cat([logits[:, SPECIAL:], logits[:, EOS : EOS + 1]], dim=1), dim=1)

    def loss():
        q = written(model)
        noisy = q - torch.log(-torch.log(torch.rand(q.shape)))
        best = noisy.topk(2, dim=1)
        if (best.values[:, 0] - best.values[:, 1]).min() < 2e-3:
            raise ValueError("a draw hangs on rounding")
        choice = best.indices[:, 0]
        if not record.losses:
            record.tensors.setdefault("expect.choice", choice.clone())
        relaxed = F.softmax(noisy / TEMPERATURE, dim=1) @ vectors
        straight = relaxed + (vectors[choice] - relaxed).detach()
        judged, at = 0.0, 0
        for i in range(BATCH):
            words = []
            for k in range(ids.shape[1]):
                if not mask[i, k]:
                    words.append(table[ids[i, k]])
                    continue
                if choice[at] != len(vectors) - 1:
                    words.append(straight[at])
                at += 1
            lengths.add(len(words))
            if words:
                judged = judged + F.cross_entropy(torch.stack(words).mean(dim=0), 1 - styles[i]) / BATCH
        with torch.no_grad():
            old = written(before)
        kl = (q.exp() * (q - old)).sum(dim=1).mean()
        rec = F.nll_loss(log_q(model, own, torch.ones_like(mask)), ids.flatten())
        return STYLE * judged + KL * kl + REC * rec

    torch.manual_seed(NOISE)
    train(record, model, loss)
    if len(lengths) < 4:
        raise ValueError(f"outputs have the lengths {lengths} alone")
    record.save("smlm_slots_judged")


if __name__ == "__main__":
    torch.set_num_threads(1)
    make_slots()
    make_judged()
