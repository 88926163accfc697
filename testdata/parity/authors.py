"""Records SMLM and SMLM-FT as the published code has them, which deviates from the paper: see make.py for how to run and read this.

The input is <s_cls> <go> w1 .. wn <style> and the target <s_cls> w1 .. wn <eos> <style>, where <style> is the style asked for: a word's
position predicts the next word, and all positions count. Their losses are summed over a sentence and averaged over sentences. The
embedding is never trained. The discriminator is two linear layers over the mean state of <s_cls> and of the positions that predict
words, and is to unlearn transferred sentences with a weight of 0.1.
"""

import torch
from torch import nn
from torch.nn import functional as F

from make import BATCH, BOS, DIM, DST, EOS, MASK, SMLM, Record, build, duel, sentences, train

CLS = 0  # the padding token's id: nothing is padded
UNLEARN, REC_INV, CLIP = 0.1, 0.5, 1e-3


class Authors(SMLM):
    """SMLM whose states are those of all positions, and whose embedding stays as drawn."""

    def __init__(self):
        super().__init__()
        self.embedding.weight.requires_grad_(False)

    def states(self, ids):
        return self.encoder(self.place(ids))


class TwoLayers(nn.Module):
    """The discriminator, over all states but those that predict <eos> and <style>."""

    def __init__(self):
        super().__init__()
        self.head = nn.Sequential(nn.Linear(DIM, DIM), nn.Linear(DIM, 2))

    def forward(self, states):
        return self.head(states[:, :-2].mean(dim=1))


class Trained(Record):
    """A record that has no gradients of what is frozen."""

    def grads(self, module):
        for name, p in module.named_parameters():
            if p.requires_grad:
                self.put("grad." + name, p.grad)


def column(token):
    return torch.full((BATCH, 1), token)


def framed(ids, mask, asked):
    """Input and target."""
    style = (DST + asked).unsqueeze(1)
    return (
        torch.cat([column(CLS), column(BOS), ids.masked_fill(mask, MASK), style], dim=1),
        torch.cat([column(CLS), ids, column(EOS), style], dim=1),
    )


def reconstruction(model, states, target):
    return F.cross_entropy(model.out(states).transpose(1, 2), target, reduction="none").sum(dim=1).mean()


def make_smlm():
    ids, mask, styles = sentences(12)
    model, record = build(Authors, 13), Trained(ids=ids, mask=mask, styles=styles)
    source, target = framed(ids, mask, styles)
    turned, _ = framed(ids, mask, 1 - styles)
    # Those of the positions that predict words.
    record.put("expect.states", model.states(source)[:, 1:-2])
    record.put("expect.logits", model.out(model.states(turned)[:, 1:-2]))
    train(record, model, lambda: reconstruction(model, model.states(source), target))
    record.save("smlm_authors")


def make_smlm_ft():
    ids, mask, styles = sentences(14)
    model, head = build(Authors, 15), build(TwoLayers, 16)
    record = Trained(ids=ids, mask=mask, styles=styles)
    source, _ = framed(ids, mask, styles)
    turned, target = framed(ids, mask, 1 - styles)

    def losses():
        rec, inv = model.states(source), model.states(turned)
        logits = head(inv)
        total = F.cross_entropy(logits, 1 - styles) + REC_INV * reconstruction(model, inv, target)
        cls = F.cross_entropy(head(rec.detach()), styles) - UNLEARN * F.cross_entropy(head(inv.detach()), 1 - styles)
        return total, cls, logits

    duel(record, model, head, losses, CLIP)
    record.save("smlm_ft_authors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    make_smlm()
    make_smlm_ft()
