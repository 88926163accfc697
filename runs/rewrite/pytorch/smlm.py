"""SMLM as `smlm-exp export` wrote it, in plain PyTorch (needs torch and safetensors).

    python load.py 'the soup was <mask> .' 1     the likeliest words of each place in style 1; a third argument is the
                                                 number of the sentence's own style (0, and of style 0 it is 1)

`import load` gives load.smlm with its weights. divlstm.py has the model that says which words to mask.
"""
import json
import pathlib
import sys

import torch
from safetensors.torch import load_file
from torch import nn

HERE = pathlib.Path(__file__).parent
CONFIG = json.loads((HERE / "config.json").read_text(encoding="utf-8"))
WORDS = (HERE / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
IDS = {word: i for i, word in enumerate(WORDS)}
# The control codes behind the words; {source} and {target} stand for styles.
CODES = ["<src:{source}>"] * CONFIG["smlm"]["source_token"] + ["<dst:{target}>"]


class SMLM(nn.Module):
    """A Transformer encoder, and a linear layer from its states to words."""

    # The shape as smlm-exp keeps it, all of it: it exports no model with a field that is not named here.
    def __init__(self, *, vocab, layers, heads, dim, ff, source_token, dropout, styles=2):
        super().__init__()
        self.embedding, self.out = nn.Embedding(vocab, dim), nn.Linear(dim, vocab)
        layer = nn.TransformerEncoderLayer(dim, heads, ff, dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, ids):
        """Logits [B, T, vocab] of ids [B, T]; positions are sinusoids (Vaswani et al. 2017, section 3.5)."""
        at, i = torch.arange(ids.shape[1], dtype=torch.float64).unsqueeze(1), torch.arange(self.out.in_features)
        angle = at / 10000 ** ((i - i % 2) / len(i))
        positions = torch.where(i % 2 == 0, angle.sin(), angle.cos()).to(self.out.weight)
        return self.out(self.encoder(self.embedding(ids) * len(i) ** 0.5 + positions))


def ids_of(words, codes=(), **styles):
    """Ids of words and the control codes behind them, which name styles."""
    tokens = [*words, *(code.format(**styles) for code in codes)]
    return torch.tensor([[IDS.get(token, IDS["<unk>"]) for token in tokens]])


smlm = SMLM(**CONFIG["smlm"]).eval()
smlm.load_state_dict(load_file(HERE / "smlm.safetensors"))

if __name__ == "__main__":
    words, style = sys.argv[1].split(), int(sys.argv[2])
    source = int(sys.argv[3]) if len(sys.argv) > 3 else int(style == 0)
    logits = smlm(ids_of(words, CODES, source=source, target=style))[0]
    for word, best in zip(words, logits.topk(5).indices.tolist()):
        print(f"{word:15}", *(WORDS[i] for i in best))
