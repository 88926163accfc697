"""Records attributions of small Diversity-LSTMs, most of them by Captum's definitions.

    /tmp/parity/bin/pip install captum==0.8.0   # beside what make.py names
    OMP_NUM_THREADS=1 /tmp/parity/bin/python testdata/parity/attribution.py

It writes attribution.safetensors (Captum, on the model of make.py) and attribution_authors.safetensors (the authors' variants on the model of
divlstm_authors.py, with torch.autograd alone). Beside weights and input.* they hold

    expect.CASE              attributions [B, T, E] of the vectors that enter the LSTM
    expect.CASE.words        one number a word, as distributions [B, T]
    expect.CASE.change       F(x) - F(x') of every sentence
    delta.CASE               sum of attributions less that change (Captum's convergence delta)

The target is the difference of the logits of a sentence's own style and of the other, unless the case is named after a loss.
"""

import copy

import torch
from captum.attr import InputXGradient, IntegratedGradients, Saliency
from divlstm_authors import AuthorsLSTM
from divlstm_authors import loss as authors_loss
from make import SPECIAL, DiversityLSTM, Record, build, conicity, sentences
from torch import nn
from torch.nn import functional as F

LAMBDA_CON = 0.5
# Few steps, so that the rules differ and completeness has a gap worth comparing.
RULES = {
    "ig": ("gausslegendre", 3, False),
    "ig_mean": ("gausslegendre", 3, True),
    "ig_left": ("riemann_left", 5, False),
    "ig_midpoint": ("riemann_middle", 4, True),
}


def log_odds(logits, styles):
    own = logits.gather(1, styles.unsqueeze(1))
    return (own - logits.gather(1, 1 - styles.unsqueeze(1))).squeeze(1)


def positive(scores):
    """Shares of the positive scores; equal ones where there is none."""
    kept = scores.clamp(min=0)
    kept[kept.sum(dim=1) == 0] = 1.0
    return kept / kept.sum(dim=1, keepdim=True)


def make_captum():
    ids, _, styles = sentences(14)
    # Wide weights make the rules' gaps large. Sentence 5 has no positive attribution with rule ig.
    model, record = build(lambda: DiversityLSTM(True), 15, spread=1.0).eval(), Record(ids=ids, styles=styles)
    record.weights("", model)
    rest = copy.deepcopy(model)
    rest.embedding = nn.Identity()  # Captum is given what enters the LSTM
    x = model.embedding(ids).detach()

    def target(x, styles):
        return log_odds(rest(x)[0], styles)

    def loss(x, styles):
        logits, _, states = rest(x)
        return F.cross_entropy(logits, styles, reduction="none") + LAMBDA_CON * conicity(states)

    gradients = Saliency(target).attribute(x.clone(), additional_forward_args=styles, abs=False)
    record.put("expect.gradients", gradients)
    size = gradients.norm(dim=2)
    record.put("expect.gradients.words", size / size.sum(dim=1, keepdim=True))
    products = InputXGradient(target).attribute(x.clone(), additional_forward_args=styles)
    record.put("expect.gradients_x_input", products)
    record.put("expect.gradients_x_input.words", positive(products.sum(dim=2)))
    products = InputXGradient(loss).attribute(x.clone(), additional_forward_args=styles)
    record.put("expect.loss", products)
    record.put("expect.loss.words", F.softmax(products.abs().sum(dim=2), dim=1))
    mean = model.embedding.weight[SPECIAL:].mean(dim=0).detach().expand_as(x)
    for case, (rule, steps, from_mean) in RULES.items():
        base = mean if from_mean else torch.zeros_like(x)
        found, delta = IntegratedGradients(target).attribute(
            x, base, additional_forward_args=styles, n_steps=steps, method=rule, return_convergence_delta=True
        )
        found = found.float()  # Captum's weights are doubles
        record.put(f"expect.{case}", found)
        record.put(f"expect.{case}.words", positive(found.sum(dim=2)))
        record.put(f"expect.{case}.change", target(x, styles) - target(base, styles))
        record.put(f"delta.{case}", delta.float())
    record.save("attribution")


def make_authors(steps=5):
    """The gradient of the training loss, and its mean over left-end steps, which is not multiplied by the input."""
    ids, _, styles = sentences(16)
    model, record = build(AuthorsLSTM, 17, spread=1.0).eval(), Record(ids=ids, styles=styles)
    record.weights("", model)
    z = model.inputs(ids).detach()

    def gradient(at):
        at = at.clone().requires_grad_()
        return torch.autograd.grad(authors_loss(model.rest(at), styles), at)[0]

    def put(case, found):
        record.put(f"expect.{case}", found)
        record.put(f"expect.{case}.words", F.softmax(found.sum(dim=2), dim=1)[:, 1:])  # <bos> keeps its share

    put("gradients", gradient(z))
    put("gradients_x_input", gradient(z) * z)
    mean = sum(gradient(z * (k / steps)) for k in range(steps)) / steps
    put("ig", mean)
    whole = authors_loss(model.rest(z), styles) - authors_loss(model.rest(torch.zeros_like(z)), styles)
    record.put("expect.ig.change", whole / len(ids))
    record.put("delta.ig", ((mean * z).sum() - whole) / len(ids))
    record.save("attribution_authors")


if __name__ == "__main__":
    torch.set_num_threads(1)
    make_captum()
    make_authors()
