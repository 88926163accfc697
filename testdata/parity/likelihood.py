"""Records pseudo log likelihoods (Salazar et al. 2020) by transformers, of the models that pretrained.py wrote: see there for how to run this.

likelihood.safetensors has, for a batch of pieces of equal length whose first and last are special ones,

    input.ids        the pieces [6, 9]
    expect.FAMILY    log p(piece | the row with that piece masked) of the others [6, 7]
"""

import os

import torch
import transformers as hf
from safetensors.torch import load_file, save_file

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDERS = os.path.join(HERE, "..", "..", "pretrained", "testdata")
MASK = 4


def log_probs(model, ids):
    out = torch.zeros(len(ids), ids.shape[1] - 2)
    for place in range(1, ids.shape[1] - 1):
        masked = ids.clone()
        masked[:, place] = MASK
        with torch.no_grad():
            logits = model(masked).logits[:, place]
        out[:, place - 1] = logits.log_softmax(dim=1).gather(1, ids[:, place : place + 1])[:, 0]
    return out


def main():
    torch.manual_seed(21)
    record = {"input.ids": torch.randint(5, 400, (6, 9))}
    for family in ("bert", "roberta", "xlm-roberta", "distilbert"):
        folder = os.path.join(FOLDERS, family)
        model = hf.AutoModelForMaskedLM.from_config(hf.AutoConfig.from_pretrained(folder)).eval()
        # not from_pretrained, which leaves RoBERTa's lm_head.bias at 0
        lacks = model.load_state_dict(load_file(os.path.join(folder, "model.safetensors")), strict=False)
        assert not lacks.unexpected_keys and all("decoder" in k or "projector" in k for k in lacks.missing_keys), lacks
        record["expect." + family] = log_probs(model, record["input.ids"])
    path = os.path.join(HERE, "likelihood.safetensors")
    save_file(record, path)
    os.chmod(path, 0o644)


main()
