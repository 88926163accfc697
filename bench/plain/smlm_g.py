"""SMLM-G: the SMLM's encoder and an autoregressive decoder, nn.TransformerDecoder. Greedy search gives the decoder the whole prefix at every
step, as that module has no cache."""

import torch
from torch import nn
from torch.nn import functional as F

import smlm
from data import BOS, EOS, IGNORE, PAD, SPECIAL
from smlm import SMLM, pad, padding


class Generator(SMLM):
    def __init__(self, case):
        super().__init__(case)
        shape = case["smlm"]
        layer = nn.TransformerDecoderLayer(shape["dim"], shape["heads"], shape["ff"], dropout=shape["dropout"], batch_first=True)
        self.decoder = nn.TransformerDecoder(layer, shape["decoder_layers"])

    def decode(self, words, memory, memory_pad):
        causal = nn.Transformer.generate_square_subsequent_mask(words.shape[1], device=words.device)
        return self.decoder(self.place(words), memory, tgt_mask=causal, tgt_is_causal=True, memory_key_padding_mask=memory_pad)


class Task(smlm.Task):
    def build(self):
        return Generator(self.case)

    def item(self, ids, mask, style):
        begun, target = torch.cat([torch.tensor([BOS]), ids]), torch.cat([ids, torch.tensor([EOS])])
        return super().item(ids, mask, style) + (begun, target)

    def collate(self, rows):
        begun, target = [i[-2] for i in rows], [i[-1] for i in rows]
        both = (pad(begun, PAD), pad(target, IGNORE)) if self.padded else (torch.stack(begun), torch.stack(target))
        return super().collate([i[:-2] for i in rows]) + both

    def loss(self, batch):
        """Teacher forcing: the mean of -log q over all words and <eos>."""
        same, begun, target = batch[0], batch[-2], batch[-1]
        memory_pad = padding(same, self.padded)
        # A causal mask already keeps a word from the padding after it.
        states = self.model.decode(begun, self.model(same, memory_pad), memory_pad)
        return F.cross_entropy(self.model.out(states).flatten(0, 1), target.flatten(), ignore_index=IGNORE)

    def transfer(self, batch):
        """Greedy search for at least one word, and at most as many as the source has."""
        other, ids = batch[1], batch[3]
        most = torch.tensor(self.lengths(ids), device=ids.device)
        memory_pad = padding(other, self.padded)
        memory = self.model(other, memory_pad)
        words = torch.full((len(ids), 1), BOS, device=ids.device)
        done = torch.zeros(len(ids), dtype=torch.bool, device=ids.device)
        while not done.all():
            logits = self.model.out(self.model.decode(words, memory, memory_pad)[:, -1])
            end = logits[:, EOS].clone() if words.shape[1] > 1 else None
            logits[:, :SPECIAL] = float("-inf")
            if end is not None:
                logits[:, EOS] = end
            following = logits.argmax(1).masked_fill(done, PAD)
            done |= following == EOS
            words = torch.cat([words, following.masked_fill(done, PAD).unsqueeze(1)], dim=1)
            done |= words.shape[1] - 1 >= most
        return [[w for w in row if w != PAD] for row in words[:, 1:].tolist()]
