"""Records what PyTorch computes for small versions of the models, for the Go tests to compare with.

    python3 -m venv /tmp/parity
    /tmp/parity/bin/pip install torch==2.1.2 'numpy<2' safetensors
    OMP_NUM_THREADS=1 /tmp/parity/bin/python testdata/parity/make.py

It writes one safetensors file a case beside itself. The modules are built from torch.nn as the paper describes the models; nothing is
shared with the Go code but the parameters' names. Every file holds, for one batch of sentences of equal length:

    NAME             the weights at the start, under the name the Go model gives them
    input.*          word ids, masks, styles
    expect.*         outputs and losses of the first forward pass
    grad.NAME        the gradient of every weight at the first step
    loss.*           the losses of ten steps of Adam, each before its step
    final.NAME       the weights after these steps

float32 throughout, no dropout, Adam with betas (0.5, 0.999) as in the recipe.
"""

import math
import os

import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional as F

VOCAB = 23
MASK, BOS, EOS, SRC, DST = 2, 3, 4, 5, 7  # special tokens: 0 <pad>, 1 <unk>, ... (corpus.PadID and so on); words from 9
SPECIAL = 9
BATCH, WORDS = 6, 7
DIM, HEADS, FF, LAYERS = 12, 3, 20, 2
STEPS, LR, BETAS = 10, 1e-3, (0.5, 0.999)
HERE = os.path.dirname(os.path.abspath(__file__))


class Classifier(nn.Module):
    """Embedding -> Bi-LSTM -> last state of either direction -> linear."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCAB, 8)
        self.lstm = nn.LSTM(8, 6, batch_first=True, bidirectional=True)
        self.out = nn.Linear(12, 2)

    def forward(self, ids):
        _, (last, _) = self.lstm(self.embedding(ids))
        return self.out(torch.cat([last[0], last[1]], dim=1))


class WordCNN(nn.Module):
    """Embedding -> convolutions of widths 1 to 3, zeros around the words -> ReLU -> maximum over positions -> linear."""

    def __init__(self, vocab=VOCAB, classes=2):
        super().__init__()
        self.embedding = nn.Embedding(vocab, 8)
        self.convolutions = nn.ModuleDict({str(w): nn.Conv2d(1, 5, (w, 8), padding=(w - 1, 0)) for w in (1, 2, 3)})
        self.out = nn.Linear(15, classes)

    def forward(self, ids):
        x = self.embedding(ids).unsqueeze(1)
        maps = [F.relu(c(x)).squeeze(3) for c in self.convolutions.values()]
        return self.out(torch.cat([F.max_pool1d(m, m.shape[2]).squeeze(2) for m in maps], dim=1))


class DiversityLSTM(nn.Module):
    """Embedding -> LSTM -> additive attention -> linear; returns logits, attention and states."""

    def __init__(self, bidirectional):
        super().__init__()
        width = 12 if bidirectional else 6
        self.embedding = nn.Embedding(VOCAB, 8)
        self.lstm = nn.LSTM(8, 6, batch_first=True, bidirectional=bidirectional)
        self.attention = nn.ModuleDict({"hidden": nn.Linear(width, 5), "query": nn.Linear(5, 1, bias=False)})
        self.out = nn.Linear(width, 2)

    def forward(self, ids):
        states, _ = self.lstm(self.embedding(ids))
        scores = self.attention["query"](torch.tanh(self.attention["hidden"](states))).squeeze(2)
        alpha = F.softmax(scores, dim=1)
        context = torch.bmm(alpha.unsqueeze(1), states).squeeze(1)
        return self.out(context), alpha, states


def conicity(states):
    """Mean |cosine| of every state with the sentence's mean state."""
    mean = states.mean(dim=1, keepdim=True).expand_as(states)
    return F.cosine_similarity(states, mean, dim=2).abs().mean(dim=1)


def positions(n):
    """The sinusoidal encoding of Vaswani et al. 2017, section 3.5."""
    at = torch.arange(n, dtype=torch.float64).unsqueeze(1)
    rate = torch.exp(torch.arange(0, DIM, 2, dtype=torch.float64) * (-math.log(10000.0) / DIM))
    table = torch.zeros(n, DIM, dtype=torch.float64)
    table[:, 0::2], table[:, 1::2] = torch.sin(at * rate), torch.cos(at * rate)
    return table.float()


class SMLM(nn.Module):
    """Transformer encoder over concat(x^m, [src], [dst]) and, over every word's state, a linear layer to words."""

    def __init__(self, decoder_layers=0, vocab=VOCAB):
        super().__init__()
        layer = nn.TransformerEncoderLayer(DIM, HEADS, FF, dropout=0.0, batch_first=True)
        self.embedding = nn.Embedding(vocab, DIM)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        if decoder_layers:
            layer = nn.TransformerDecoderLayer(DIM, HEADS, FF, dropout=0.0, batch_first=True)
            self.decoder = nn.TransformerDecoder(layer, decoder_layers)
        self.out = nn.Linear(DIM, vocab)

    def place(self, ids):
        return self.embedding(ids) * math.sqrt(DIM) + positions(ids.shape[1])

    def states(self, ids):
        """The words' states: those of the two codes at the end are left out."""
        return self.encoder(self.place(ids))[:, :-2]

    def write(self, memory_ids, words):
        """SMLM-G: logits of every next word, by teacher forcing."""
        causal = nn.Transformer.generate_square_subsequent_mask(words.shape[1])
        states = self.decoder(self.place(words), self.encoder(self.place(memory_ids)), tgt_mask=causal)
        return self.out(states)


class Head(nn.Module):
    """SMLM-FT's discriminator: a linear layer over the mean state of a sentence's words."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(DIM, 2)

    def forward(self, states):
        return self.head(states.mean(dim=1))


def build(module, seed, spread=0.3):
    """Draws all weights anew so that none sits at 0 or 1, as biases and layer norms do by default."""
    torch.manual_seed(seed)
    made = module()
    with torch.no_grad():
        for name, p in made.named_parameters():
            p.copy_(torch.randn(p.shape) * spread + (1.0 if "norm" in name and name.endswith("weight") else 0.0))
    return made


def sentences(seed):
    """A batch of ids, masks (at least one word a sentence, but none in the last) and styles."""
    torch.manual_seed(seed)
    ids = torch.randint(SPECIAL, VOCAB, (BATCH, WORDS))
    ids[0, 0] = 1  # an unknown word
    mask = torch.rand(BATCH, WORDS) < 0.3
    mask[torch.arange(BATCH), torch.randint(0, WORDS, (BATCH,))] = True
    mask[-1] = False
    return ids, mask, torch.arange(BATCH) % 2


def source(ids, mask, styles, asked):
    """concat(x^m, [src], [dst])."""
    masked = ids.masked_fill(mask, MASK)
    return torch.cat([masked, (SRC + styles).unsqueeze(1), (DST + asked).unsqueeze(1)], dim=1)


def adam(module):
    return torch.optim.Adam(module.parameters(), lr=LR, betas=BETAS)


def flat(p):
    """The kernel of a convolution [F, 1, w, E] as the matrix that the Go model has [F, w * E]; others as they are."""
    return p.flatten(1) if p.dim() > 2 else p


class Record:
    """What one file will hold."""

    def __init__(self, **inputs):
        self.tensors = {"input." + k: v.to(torch.int64) for k, v in inputs.items()}
        self.losses = {}

    def weights(self, prefix, module):
        for name, p in module.named_parameters():
            self.put(prefix + name, flat(p))

    def grads(self, module):
        for name, p in module.named_parameters():
            self.put("grad." + name, flat(p.grad))

    def put(self, name, value):
        self.tensors[name] = value.detach().clone().contiguous()

    def loss(self, name, value):
        self.losses.setdefault(name, []).append(value.item())

    def save(self, name):
        for k, v in self.losses.items():
            self.tensors["loss." + k] = torch.tensor(v)
        path = os.path.join(HERE, name + ".safetensors")
        save_file(self.tensors, path)
        os.chmod(path, 0o644)


def train(record, module, loss):
    """Ten steps of one player, recorded."""
    record.weights("", module)
    optimizer = adam(module)
    for step in range(STEPS):
        optimizer.zero_grad()
        value = loss()
        value.backward()
        if step == 0:
            record.grads(module)
        record.loss("total", value)
        optimizer.step()
    record.weights("final.", module)


def duel(record, model, head, losses, clip):
    """Ten steps of two players, recorded. losses returns the model's loss, the head's, and the style logits of the transferred sentences."""
    record.weights("", model)
    record.weights("", head)
    of_model, of_head = adam(model), adam(head)
    for step in range(STEPS):
        total, cls, logits = losses()
        of_model.zero_grad()
        total.backward()
        if step == 0:
            record.put("expect.style_logits", logits)
            record.grads(model)  # before clipping
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        of_model.step()
        of_head.zero_grad()  # what total left there
        cls.backward()
        if step == 0:
            record.grads(head)
        of_head.step()
        record.loss("total", total)
        record.loss("head", cls)
    record.weights("final.", model)
    record.weights("final.", head)


def make_classifier():
    ids, _, styles = sentences(1)
    model, record = build(Classifier, 2), Record(ids=ids, styles=styles)
    record.put("expect.logits", model(ids))
    train(record, model, lambda: F.cross_entropy(model(ids), styles))
    record.save("classifier")


def make_cnn(name, classes):
    ids, _, _ = sentences(12)
    styles = torch.arange(BATCH) % classes
    model, record = build(lambda: WordCNN(classes=classes), 13), Record(ids=ids, styles=styles)
    record.put("expect.logits", model(ids))
    record.put("expect.one_word", model(ids[:, :1]))
    if classes > 2:
        record.put("expect.log_p", F.log_softmax(model(ids), dim=1))
    train(record, model, lambda: F.cross_entropy(model(ids), styles))
    record.save(name)


def make_divlstm(name, bidirectional, lambda_con):
    ids, _, _ = sentences(3)
    styles = (torch.arange(BATCH) > 0).long()
    # With small weights, attention is all but uniform and its gradients are differences of nearly equal numbers, whose rounding
    # depends on the order of a sum: wide weights and uneven styles keep them well above that.
    model, record = build(lambda: DiversityLSTM(bidirectional), 4, spread=1.0), Record(ids=ids, styles=styles)
    logits, alpha, states = model(ids)
    record.put("expect.logits", logits)
    record.put("expect.attention", alpha)
    record.put("expect.states", states)
    record.put("expect.conicity", conicity(states))

    def loss():
        logits, _, states = model(ids)
        return F.cross_entropy(logits, styles) + lambda_con * conicity(states).mean()

    train(record, model, loss)
    record.save(name)


def reconstruction(model, states, ids, mask, masked_only):
    """Mean of -log q(x_t) over the masked words, or over all."""
    logits = model.out(states)
    if masked_only:
        return F.cross_entropy(logits[mask], ids[mask])
    return F.cross_entropy(logits.transpose(1, 2), ids)


def make_smlm(name, masked_only):
    ids, mask, styles = sentences(5)
    model, record = build(SMLM, 6), Record(ids=ids, mask=mask, styles=styles)
    same, other = source(ids, mask, styles, styles), source(ids, mask, styles, 1 - styles)
    record.put("expect.states", model.states(same))
    record.put("expect.logits", model.out(model.states(other)))
    train(record, model, lambda: reconstruction(model, model.states(same), ids, mask, masked_only))
    record.save(name)


def make_smlm_ft(style=1.0, rec=0.5, clip=1e-3):
    ids, mask, styles = sentences(7)
    model, head = build(SMLM, 8), build(Head, 9)
    record = Record(ids=ids, mask=mask, styles=styles)

    def losses():
        own, turned = model.states(source(ids, mask, styles, styles)), model.states(source(ids, mask, styles, 1 - styles))
        logits = head(turned)
        total = style * F.cross_entropy(logits, 1 - styles) + rec * reconstruction(model, own, ids, mask, True)
        return total, F.cross_entropy(head(own.detach()), styles), logits

    duel(record, model, head, losses, clip)
    record.save("smlm_ft")


def make_smlm_g():
    ids, mask, styles = sentences(10)
    model, record = build(lambda: SMLM(decoder_layers=1), 11), Record(ids=ids, mask=mask, styles=styles)
    memory = source(ids, mask, styles, styles)
    begun = torch.cat([torch.full((BATCH, 1), BOS), ids], dim=1)
    target = torch.cat([ids, torch.full((BATCH, 1), EOS)], dim=1)
    record.put("expect.logits", model.write(memory, begun))
    train(record, model, lambda: F.cross_entropy(model.write(memory, begun).transpose(1, 2), target))
    record.save("smlm_g")


if __name__ == "__main__":
    torch.set_num_threads(1)
    make_classifier()
    make_cnn("cnn", 2)
    make_cnn("cnn_three", 3)
    make_divlstm("divlstm", False, 0.5)
    make_divlstm("divlstm_both", True, 1.0)
    make_smlm("smlm_all", False)
    make_smlm("smlm_masked", True)
    make_smlm_ft()
    make_smlm_g()
