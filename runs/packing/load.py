"""The models that `smlm-exp export` wrote beside this file, in plain PyTorch (needs torch and safetensors).

    python load.py 'the soup was <mask> .' 1     the likeliest words of each place in style 1
"""
import json
import math
import pathlib
import sys

import torch
from safetensors.torch import load_file
from torch import nn

HERE = pathlib.Path(__file__).parent
CONFIG = json.loads((HERE / "config.json").read_text(encoding="utf-8"))
WORDS = (HERE / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
IDS = {word: i for i, word in enumerate(WORDS)}


class SMLM(nn.Module):
    """SMLM and SMLM-FT: a Transformer encoder and a linear layer to words; with a decoder SMLM-G."""

    def __init__(self, vocab, dim, layers, heads, ff, decoder_layers):
        super().__init__()
        shape = {"d_model": dim, "nhead": heads, "dim_feedforward": ff, "batch_first": True}
        self.embedding, self.out = nn.Embedding(vocab, dim), nn.Linear(dim, vocab)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**shape), layers, enable_nested_tensor=False)
        if decoder_layers:
            self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**shape), decoder_layers)

    def embed(self, ids):
        dim = self.embedding.embedding_dim
        at, i = torch.arange(ids.shape[1], dtype=torch.float64).unsqueeze(1), torch.arange(dim)
        angle = at / 10000 ** ((i - i % 2) / dim)
        return self.embedding(ids) * math.sqrt(dim) + torch.where(i % 2 == 0, angle.sin(), angle.cos()).float()

    def forward(self, ids, written=None):
        """Logits [B, T, vocab] of the encoder's positions, of SMLM-G of what follows each word written, <bos> first."""
        states = self.encoder(self.embed(ids))
        if written is not None:
            causal = nn.Transformer.generate_square_subsequent_mask(written.shape[1])
            states = self.decoder(self.embed(written), states, tgt_mask=causal)
        return self.out(states)


class DiversityLSTM(nn.Module):
    """The model whose attention says which words carry the style."""

    def __init__(self, vocab, embedding, hidden, attention, bidirectional, latent=0, start_token=False, **_):
        super().__init__()
        width, self.start = hidden * (2 if bidirectional else 1), start_token
        self.embedding, self.out = nn.Embedding(vocab, embedding), nn.Linear(width, 2)
        if latent:
            self.latent = nn.ModuleDict({name: nn.Linear(embedding, latent) for name in ("mu", "logvar")})
        self.lstm = nn.LSTM(latent or embedding, hidden, batch_first=True, bidirectional=bidirectional)
        self.attention = nn.ModuleDict(
            {"hidden": nn.Linear(width, attention), "query": nn.Linear(attention, 1, bias=False)}
        )

    def forward(self, ids):
        """Logits of the styles [B, 2] and attention [B, T], T counting <bos> where there is one."""
        if self.start:
            ids = nn.functional.pad(ids, (1, 0), value=IDS["<bos>"])
        x = self.embedding(ids)
        states, _ = self.lstm(self.latent["mu"](x) if hasattr(self, "latent") else x)
        alpha = self.attention["query"](self.attention["hidden"](states).tanh()).softmax(1)
        return self.out((alpha * states).sum(1)), alpha.squeeze(2)


def load():
    """Both models with their weights, SMLM first."""
    smlm = SMLM(*(CONFIG["smlm"][k] for k in ("vocab", "dim", "layers", "heads", "ff", "decoder_layers")))
    smlm.load_state_dict(load_file(HERE / "smlm.safetensors"))
    divlstm = DiversityLSTM(**CONFIG["divlstm"])
    divlstm.load_state_dict(load_file(HERE / "divlstm.safetensors"))
    return smlm.eval(), divlstm.eval()


def ids_of(words):
    return [IDS.get(word, IDS["<unk>"]) for word in words]


def inputs(words, source, target):
    """What the encoder reads of masked words, styles 0 or 1, and at which position it predicts the first word."""
    codes = CONFIG["smlm"]
    ids = [IDS["<pad>"]] * codes["cls_token"] + [IDS["<bos>"]] * codes["shift_targets"] + ids_of(words)
    ids += [IDS[f"<src:{source}>"]] * codes["source_token"] + [IDS[f"<dst:{target}>"]]
    return ids, int(codes["cls_token"])


if __name__ == "__main__":
    words, style = sys.argv[1].split(), int(sys.argv[2])
    smlm, divlstm = load()
    ids, first = inputs(words, 1 - style, style)
    with torch.no_grad():
        logits = smlm(torch.tensor([ids]))[0, first : first + len(words)]
        attention = divlstm(torch.tensor([ids_of(words)]))[1][0].tolist()[-len(words) :]
    for word, alpha, best in zip(words, attention, logits.topk(5).indices.tolist()):
        print(f"{word:15} attention {alpha:.3f}   {' '.join(WORDS[i] for i in best)}")
