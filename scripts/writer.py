#!/usr/bin/env python3
"""What is each part of guided decoding worth? The ledger is docs/results/writer.csv.

  writer.py data SHARED FOLDER      make the data sets of experiments/writer.toml of the folder with the corpora
  writer.py measure PROGRAM DATA... train what is not there, and add a row of numbers for each of CHANGES to the ledger

PROGRAM is smlm-exp as `make build` makes it. DATA are names of data sets, all of them if there are none. No test
sentence is read: the "test set" of each folder is 300 of the corpus's dev sentences a style, and its dev set is the
rest. For the ledger's other rows, such as "with" a removed part, the program itself was changed.
"""

import csv
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXPERIMENT = ROOT / "experiments" / "writer.toml"
LEDGER = ROOT / "docs" / "results" / "writer.csv"

CORPORA = {
    "yelp": "yelp", "amazon": "amazon", "imdb": "imdb", "shakespeare": "other/shakespeare",
    "paradetox": "other/paradetox", "verses": "other/verses",
}
PARALLEL = ["shakespeare"]  # line k of both dev sets says the same, so the other line is a reference
JUDGED = 300  # dev sentences of each style that are rewritten and measured

# What is changed of the settings: the strength of the style, or a part of guided decoding is taken away.
CHANGES = {
    "nothing": {},
    "style 0.8": {"guided.style": 0.8},
    "style 1.6": {"guided.style": 1.6},
    "without fluency": {"guided.fluency": 0},
}
NUMBERS = ["TST%", "TST% fastText", "TST% unseen", "s-BLEU", "r-BLEU", "Nat.", "PPL", "unchanged %", "length ratio",
           "most frequent new word % 1", "most frequent new word % 2", "repeated word % 1", "repeated word % 2"]


def lines(path):
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def write(path, sentences):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(s + "\n" for s in sentences), encoding="utf-8")


def data(shared, folder):
    """Cuts each corpus: the rewritten sentences are drawn from its dev set by a fixed seed."""
    for name, place in CORPORA.items():
        source = Path(shared) / place
        for style in "01":
            dev = lines(source / f"dev.{style}.txt")
            random.Random(72).shuffle(dev)
            train = lines(source / f"train.{style}.txt")
            judged, known = dev[:JUDGED], set(dev[:JUDGED])
            left = [sentence for sentence in dev[JUDGED:] if sentence not in known]
            if len(left) < JUDGED:  # a dev set of its own from the training set
                random.Random(73).shuffle(train)
                left, train = left + train[:JUDGED], train[JUDGED:]
            write(Path(folder) / name / f"train.{style}.txt", train)
            write(Path(folder) / name / f"dev.{style}.txt", left)
            write(Path(folder) / name / f"test.{style}.txt", judged)
            if name in PARALLEL:
                write(Path(folder) / name / f"reference.{'10'[int(style)]}.txt", judged)
            extra = source / f"train_extra.{style}.txt"
            if extra.exists():
                write(Path(folder) / name / f"train_extra.{style}.txt", lines(extra))


def flags(settings):
    return [flag for key, value in settings.items() for flag in ("--set", f"{key}={value}")]


def measure(program, dataset, settings):
    """Returns the row of results of one set of settings; what is finished is not run again."""
    study = [str(EXPERIMENT), "--dataset", dataset, *flags(settings)]
    subprocess.run([program, "run", *study, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    tables = [program, "tables", *study, "--table", "results", "--format", "csv"]
    text = subprocess.run(tables, check=True, capture_output=True, text=True)
    rows = list(csv.DictReader(line for line in text.stdout.splitlines() if not line.startswith("#")))
    return next(row for row in rows if row["System"].startswith("SMLM"))


def note(program, dataset, change, row):
    version = subprocess.run([program, "version"], check=True, capture_output=True, text=True).stdout
    commit = re.search(r"\b[0-9a-f]{12}\b", version)[0][:8]
    new = not LEDGER.exists()
    with LEDGER.open("a", newline="", encoding="utf-8") as f:
        out = csv.writer(f, lineterminator="\n")
        if new:
            out.writerow(["commit", "data", "change", *NUMBERS])
        out.writerow([commit, dataset, change, *[row.get(n, "").rstrip("§¶‡‖†*–") for n in NUMBERS]])


def ledger(program, *names):
    for dataset in names or [*CORPORA, "demo"]:
        for change, settings in CHANGES.items():
            note(program, dataset, change, measure(program, dataset, settings))


if __name__ == "__main__":
    what, *arguments = sys.argv[1:] or ["help"]
    todo = {"data": data, "measure": ledger}.get(what)
    if todo is None:
        sys.exit(__doc__)
    todo(*arguments)
