"""Records attributions of a small Diversity-LSTM by Captum.

    /tmp/parity/bin/pip install captum==0.8.0   # beside what make.py names
    OMP_NUM_THREADS=1 /tmp/parity/bin/python testdata/parity/attribution.py

It writes attribution.safetensors, on the model of make.py. Beside weights and input.* it holds

    expect.CASE              attributions [B, T, E] of the vectors that enter the LSTM
    expect.CASE.words        one number a word, as distributions [B, T]
    expect.CASE.change       F(x) - F(0) of every sentence

The target is the difference of the logits of a sentence's own style and of the other.
"""

import copy

import torch
from captum.attr import InputXGradient, IntegratedGradients, Saliency
from make import DiversityLSTM, Record, build, sentences
from torch import nn

STEPS = 3  # so few that the error of the integral is large


def log_odds(logits, styles):
    own = logits.gather(1, styles.unsqueeze(1))
    return (own - logits.gather(1, 1 - styles.unsqueeze(1))).squeeze(1)


def positive(scores):
    """Shares of the positive scores; equal ones where there is none."""
    kept = scores.clamp(min=0)
    kept[kept.sum(dim=1) == 0] = 1.0
    return kept / kept.sum(dim=1, keepdim=True)


def main():
    ids, _, styles = sentences(14)
    # Wide weights make that error large. Sentence 5 has no positive attribution by integrated gradients.
    model, record = build(lambda: DiversityLSTM(True), 15, spread=1.0).eval(), Record(ids=ids, styles=styles)
    record.weights("", model)
    rest = copy.deepcopy(model)
    rest.embedding = nn.Identity()  # Captum is given what enters the LSTM
    x = model.embedding(ids).detach()

    def target(x, styles):
        return log_odds(rest(x)[0], styles)

    gradients = Saliency(target).attribute(x.clone(), additional_forward_args=styles, abs=False)
    record.put("expect.gradients", gradients)
    size = gradients.norm(dim=2)
    record.put("expect.gradients.words", size / size.sum(dim=1, keepdim=True))
    products = InputXGradient(target).attribute(x.clone(), additional_forward_args=styles)
    record.put("expect.gradients_x_input", products)
    record.put("expect.gradients_x_input.words", positive(products.sum(dim=2)))
    base = torch.zeros_like(x)
    found = IntegratedGradients(target).attribute(x, base, additional_forward_args=styles, n_steps=STEPS, method="gausslegendre")
    found = found.float()  # Captum's weights are doubles
    record.put("expect.ig", found)
    record.put("expect.ig.words", positive(found.sum(dim=2)))
    record.put("expect.ig.change", target(x, styles) - target(base, styles))
    record.save("attribution")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main()
