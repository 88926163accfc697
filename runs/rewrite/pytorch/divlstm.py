"""The Diversity-LSTM, whose attention says which words carry the style, in plain PyTorch.

    python divlstm.py 'the soup was cold .'     each word's attention, and how probable each style is

`import divlstm` gives divlstm.divlstm with its weights.
"""
import sys

from load import CONFIG, HERE, ids_of
from safetensors.torch import load_file
from torch import nn


class DiversityLSTM(nn.Module):
    """An LSTM over the words, additive attention over its states (Bahdanau et al. 2015), and a linear layer."""

    # The shape as smlm-exp keeps it, all of it: it exports no model with a field that is not named here.
    def __init__(self, *, vocab, embedding, hidden, attention, bidirectional, dropout, styles=2):
        super().__init__()
        width = hidden * (2 if bidirectional else 1)
        self.embedding, self.out = nn.Embedding(vocab, embedding), nn.Linear(width, styles)
        self.dropout = nn.Dropout(dropout)
        self.lstm = nn.LSTM(embedding, hidden, batch_first=True, bidirectional=bidirectional)
        query = nn.Linear(attention, 1, bias=False)
        self.attention = nn.Sequential(nn.Linear(width, attention), nn.Tanh(), query, nn.Softmax(1))

    def forward(self, ids):
        """Logits of the styles [B, S] and attention [B, T] of ids [B, T]."""
        states, _ = self.lstm(self.dropout(self.embedding(ids)))
        alpha = self.attention(states)
        return self.out((alpha * states).sum(1)), alpha.squeeze(2)


divlstm = DiversityLSTM(**CONFIG["divlstm"]).eval()
divlstm.load_state_dict(load_file(HERE / "divlstm.safetensors"))

if __name__ == "__main__":
    words = sys.argv[1].split()
    style, attention = divlstm(ids_of(words))
    for word, alpha in zip(words, attention[0].tolist()):
        print(f"{word:15} {alpha:.3f}")
    print(*(f"{label} {p:.3f}" for label, p in zip(CONFIG["labels"], style[0].softmax(0).tolist())))
