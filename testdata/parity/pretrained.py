"""Records what transformers computes for a small random BERT, for package pretrained to compare with.

    python3 -m venv /tmp/hf
    /tmp/hf/bin/pip install torch==2.1.2 transformers==4.48.3 'numpy<2' safetensors
    OMP_NUM_THREADS=1 ATEN_CPU_CAPABILITY=avx2 /tmp/hf/bin/python testdata/parity/pretrained.py

    /tmp/hf/bin/python testdata/parity/pretrained.py FOLDER FILE

The second way records, for TestRealStates, what transformers computes for sentences that bertscore.py invents, by a folder of real weights:
texts is a JSON list in bytes, lengths how many pieces each has, ids all of them, and expect.K their states behind the first K layers. The
first way is for the repository.

It writes the config and the weights of a model with a masked-language head, as save_pretrained does, into pretrained/testdata/bert. Its
tokenizer is tokens.py's. Beside this file it writes pretrained_bert.safetensors with, for a batch of pieces of equal length,

    input.ids             the pieces [6, 9]
    expect.states.K       the states behind K layers, K from 0
    expect.logits         of the head
"""

import json
import os
import random
import sys

import torch
import transformers as hf
from safetensors.torch import save_file

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "..", "..", "pretrained", "testdata", "bert")
VOCAB, BATCH, LENGTH = 400, 6, 9
CONFIG = hf.BertConfig(vocab_size=VOCAB, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
                       max_position_embeddings=40, type_vocab_size=2)


def build():
    """A model whose weights are large enough to tell all of its parts, written to the folder."""
    torch.manual_seed(0)
    model = hf.BertForMaskedLM(CONFIG).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.copy_(1 + .3 * torch.randn_like(p) if "norm" in name.lower() and name.endswith("weight") else .3 * torch.randn_like(p))
    model.save_pretrained(FOLDER, safe_serialization=True)
    generation = os.path.join(FOLDER, "generation_config.json")
    if os.path.exists(generation):
        os.remove(generation)
    return model


def real(folder, path):
    import bertscore

    rng = random.Random(3)
    texts = [text for text, _ in bertscore.invented(rng, 300)]
    texts += [" ".join(rng.choice(bertscore.WORDS) for _ in range(n)) for n in (40, 60, 90, 130, 200, 280, 350, 600)] + ["", "."]
    tokenizer, model = hf.AutoTokenizer.from_pretrained(folder), hf.AutoModel.from_pretrained(folder).eval()
    layers = model.config.num_hidden_layers
    ids, states = [], {k: [] for k in (0, layers // 2, layers)}
    for text in texts:
        one = tokenizer(text, truncation=True, max_length=512, return_tensors="pt")
        with torch.no_grad():
            out = model(**one, output_hidden_states=True).hidden_states
        ids.append(one["input_ids"][0])
        for k, of in states.items():
            of.append(out[k][0])
    record = {"texts": torch.tensor(list(json.dumps(texts).encode()), dtype=torch.uint8), "lengths": torch.tensor([len(i) for i in ids])}
    record["ids"] = torch.cat(ids)
    save_file(record | {f"expect.{k}": torch.cat(of).contiguous() for k, of in states.items()}, path)


def main():
    if len(sys.argv) == 3:
        return real(*sys.argv[1:])
    torch.manual_seed(100)
    ids = torch.randint(5, VOCAB, (BATCH, LENGTH))
    model = build()
    with torch.no_grad():
        out = model(ids, output_hidden_states=True)
    record = {"input.ids": ids, "expect.logits": out.logits}
    for k, states in enumerate(out.hidden_states):
        record[f"expect.states.{k}"] = states
    path = os.path.join(HERE, "pretrained_bert.safetensors")
    save_file({k: v.contiguous() for k, v in record.items()}, path)
    os.chmod(path, 0o644)


main()
