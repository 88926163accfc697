"""SMLM as `smlm-exp export` wrote it, for HuggingFace's transformers (needs torch, safetensors and transformers).

    python load.py 'the soup was <mask> .' 1     the likeliest words of each place in style 1

`import load` gives load.smlm with its weights. The folder encoder is a masked language model as transformers reads them:

    AutoModelForMaskedLM.from_pretrained("encoder"), AutoTokenizer.from_pretrained("encoder")

divlstm.py has the model that says which words to mask.
"""
import json
import pathlib
import sys

import torch
from torch import nn
from transformers import AutoModelForMaskedLM

HERE = pathlib.Path(__file__).parent
CONFIG = json.loads((HERE / "config.json").read_text(encoding="utf-8"))
WORDS = (HERE / "vocab.txt").read_text(encoding="utf-8").split("\n")[:-1]
IDS = {word: i for i, word in enumerate(WORDS)}
# The control codes around the words; {source} and {target} stand for styles.
CODES = {
    "front": ["<pad>"] * CONFIG["smlm"]["cls_token"] + ["<bos>"] * CONFIG["smlm"]["shift_targets"],
    "back": ["<src:{source}>"] * CONFIG["smlm"]["source_token"] + ["<dst:{target}>"],
}
FIRST = int(CONFIG["smlm"]["cls_token"])  # the position that predicts the first word


class SMLM(nn.Module):
    """The masked language model of the folder encoder."""

    # The shape as smlm-exp keeps it, all of it: it exports no model with a field that is not named here.
    def __init__(
        self, *, vocab, layers, heads, dim, ff, source_token, cls_token, shift_targets, train_embeddings, dropout,
        pretrained
    ):
        super().__init__()
        self.encoder = AutoModelForMaskedLM.from_pretrained(HERE / "encoder")

    def forward(self, ids):
        """Logits [B, T, vocab] of ids [B, T]."""
        return self.encoder(ids).logits


def ids_of(words, front=(), back=(), **styles):
    """Ids of words between control codes, of which some name styles."""
    tokens = [*front, *words, *(code.format(**styles) for code in back)]
    return torch.tensor([[IDS.get(token, IDS["<unk>"]) for token in tokens]])


smlm = SMLM(**CONFIG["smlm"]).eval()

if __name__ == "__main__":
    words, style = sys.argv[1].split(), int(sys.argv[2])
    logits = smlm(ids_of(words, **CODES, source=1 - style, target=style))[0, FIRST:]
    for word, best in zip(words, logits.topk(5).indices.tolist()):
        print(f"{word:15}", *(WORDS[i] for i in best))
