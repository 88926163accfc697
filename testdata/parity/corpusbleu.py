"""Records sacrebleu's corpus BLEU of the sentences in content.json, for metrics.BLEU to compare with.

    python3 -m venv /tmp/parity
    /tmp/parity/bin/pip install sacrebleu==2.6.0
    /tmp/parity/bin/python testdata/parity/corpusbleu.py

It writes corpusbleu.json beside itself: for each corpus of content.json, BLEU-1 to BLEU-4 in percent of BLEU(tokenize="none", smooth_method="none",
force=True), once against its first reference alone and once against all. sacrebleu drops a reference that is "", so an
empty one is handed over as one space, which is no word to it either. (The file is not named sacrebleu.py: Python would import it in
the place of the package.)
"""

import json
import os

from sacrebleu.metrics import BLEU

HERE = os.path.dirname(os.path.abspath(__file__))


def bleus(outputs, references):
    scores = []
    for n in range(1, 5):
        bleu = BLEU(tokenize="none", smooth_method="none", force=True, max_ngram_order=n)
        scores.append(bleu.corpus_score(outputs, references).score)
    return scores


def main():
    with open(os.path.join(HERE, "content.json"), encoding="utf-8") as f:
        corpora = json.load(f)
    lines = []
    for corpus in corpora:
        outputs = [line[0] for line in corpus["sentences"]]
        references = [[ref or " " for ref in refs] for refs in zip(*(line[1:-6] for line in corpus["sentences"]))]
        lines.append(json.dumps({"name": corpus["name"], "first": bleus(outputs, references[:1]), "all": bleus(outputs, references)}))
    with open(os.path.join(HERE, "corpusbleu.json"), "w", encoding="utf-8") as out:
        out.write("[\n" + ",\n".join(lines) + "\n]\n")


if __name__ == "__main__":
    main()
