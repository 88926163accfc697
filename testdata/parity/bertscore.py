"""Records what bert-score and transformers say of sentences in pieces, for package pretrained to compare with.

    python3 -m venv /tmp/hf
    /tmp/hf/bin/pip install torch==2.1.2 transformers==4.48.3 'numpy<2' bert-score==0.3.12
    OMP_NUM_THREADS=1 ATEN_CPU_CAPABILITY=avx2 /tmp/hf/bin/python testdata/parity/bertscore.py

    /tmp/hf/bin/python testdata/parity/bertscore.py FOLDER FILE

With a folder of real weights it writes to a file, for the test of real weights, what bert-score with the folder's own tokenizer and
transformers say of invented sentences: pairs, each [output, reference, ...], and of each case layer and scores; and cosines. Without one
it reads the small random folder that pretrained.py writes, and writes bertscore.json beside itself. A sentence is
a list of pieces without the special ones, which are 2 before it and 3 after it. bert-score is given a tokenizer that takes such a list as text.
One pair goes through at a time: bert-score pads sentences of a batch, and then no best cosine is below 0, which is a fault of it.

    sentences     what the others name by their number: random, some that share pieces, empty ones, and some that are too long
    pairs         [output, reference, ...], of one to three references
    cases         layer; scores: of each pair precision, recall and F1
    cosines       of each pair the cosine of the means of all last states, with the first reference
"""

import json
import os
import random
import sys

import bert_score
import torch
import transformers as hf

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, "..", "..", "pretrained", "testdata", "bert")
VOCAB, MOST, CLS, SEP = 400, 40, 2, 3


class Tokenizer:
    """Takes "12 7" for the pieces 12 and 7."""

    cls_token_id, sep_token_id, pad_token_id, model_max_length = CLS, SEP, 0, MOST

    def build_inputs_with_special_tokens(self, ids):
        return [CLS] + ids + [SEP]

    def encode(self, text, add_special_tokens, max_length, truncation):
        assert add_special_tokens and truncation
        return self.build_inputs_with_special_tokens([int(w) for w in text.split()][:max_length - 2])


def encoded(text):
    return Tokenizer().encode(text, True, MOST, True)


def sentences(rng):
    frequent = [rng.randrange(5, VOCAB) for _ in range(25)]
    piece = lambda: rng.choice(frequent) if rng.random() < .6 else rng.randrange(5, VOCAB)  # noqa: E731
    out = [[], [], [frequent[0]], [frequent[0]] * 7]
    for length in [1, 2, 3, 5, 8, 8, 8, 13, 13, 20, 37, 38, 39, 45]:
        out += [[piece() for _ in range(length)] for _ in range(2)]
    for ids in out[6:22]:
        other = list(ids)
        other[rng.randrange(len(other))] = piece()
        out.append(other)
    return out


WORDS = """the a this that was were is not never very quite really waiter soup room garden table morning evening friend teacher lamp window river
slow warm cold bright gloomy friendly unfriendly delicious unbelievably overcooked and but because with without near of in on , . ! ? n't 's 12
café Zürich straße déjà-vu дом 汤 don't re-opened supercalifragilistic""".split()


def invented(rng, n):
    """Sentences and rewrites of them: some words exchanged."""
    out = []
    for _ in range(n):
        text = [rng.choice(WORDS) for _ in range(rng.randint(1, 28))]
        other = [rng.choice(WORDS) if rng.random() < .3 else w for w in text]
        out.append((" ".join(text), " ".join(other)))
    return out


def real(folder, path):
    rng = random.Random(2)
    rows = invented(rng, 120)
    pairs = [[a, b] + [rng.choice(rows)[1] for _ in range(k % 3)] for k, (a, b) in enumerate(rows)]
    pairs += [["", "warm soup ."], ["warm soup .", ""], ["", ""], ["warm soup .", " warm  soup . "], ["slow " * 700, "cold " * 700 + "."]]
    outputs, references = [p[0] for p in pairs], [p[1:] for p in pairs]
    record = {"pairs": pairs, "cases": []}
    layers = hf.AutoConfig.from_pretrained(folder).num_hidden_layers
    for layer in [1, layers - 1, layers]:
        scores = bert_score.score(outputs, references, model_type=folder, num_layers=layer, device="cpu", nthreads=0)
        record["cases"].append({"layer": layer, "scores": torch.stack(scores, 1).tolist()})
    tokenizer, model = hf.AutoTokenizer.from_pretrained(folder), hf.AutoModel.from_pretrained(folder).eval()

    def mean(text):
        with torch.no_grad():
            return torch.nn.functional.normalize(model(**tokenizer(text.strip(), truncation=True, max_length=tokenizer.model_max_length, return_tensors="pt"))[0].mean(1))
    record["cosines"] = [(mean(p[0]) * mean(p[1])).sum().item() for p in pairs]
    with open(path, "w") as f:
        json.dump(record, f)


def main():
    if len(sys.argv) == 3:
        return real(*sys.argv[1:])
    rng = random.Random(1)
    lists = sentences(rng)
    texts = [" ".join(map(str, ids)) for ids in lists]
    pairs = [[0, 1], [0, 5], [5, 0], [2, 3], [7, 7], [6, 32], [9, 9, 0]]
    pairs += [[k, 32 + k - 6] for k in range(7, 22)]
    pairs += [[rng.randrange(len(lists)) for _ in range(2 + k % 3)] for k in range(24)]
    record = {"sentences": lists, "pairs": pairs, "cases": []}
    sys.modules["bert_score.score"].get_tokenizer = lambda *_: Tokenizer()
    for layer in [1, 2]:
        scores = bert_score.score(
            [texts[p[0]] for p in pairs], [[texts[k] for k in p[1:]] for p in pairs], model_type=FOLDER, num_layers=layer,
            batch_size=1, device="cpu",
        )
        record["cases"].append(dict(layer=layer, scores=[[round(x, 8) for x in row] for row in torch.stack(scores, 1).tolist()]))
    model = hf.AutoModel.from_pretrained(FOLDER).eval()
    with torch.no_grad():
        ids = [torch.tensor([encoded(t)]) for t in texts]
        means = [torch.nn.functional.normalize(model(i)[0].mean(1)) for i in ids]
        record["cosines"] = [round((means[p[0]] * means[p[1]]).sum().item(), 9) for p in pairs]
    with open(os.path.join(HERE, "bertscore.json"), "w") as f:
        json.dump(record, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    main()
