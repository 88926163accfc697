"""Cuts the Russian detoxification data into words as `data import` does, and brings every person's rewrites together.

    python experiments/russian_detox.py ../shared/data/other/russian-detox dev.tsv FOLDER [bin/smlm-exp]

dev.tsv is data/input/dev.tsv of github.com/s-nlp/russe_detox_2022. Its first 400 rows are the test sentences, in the
same order, with up to three rewrites each. They become FOLDER/references/person.{1,2,3}.0.txt, and the first ones also
FOLDER/reference.0.txt. Where a sentence has fewer, its last one is repeated and counts once. Test sentences and
published outputs keep their order and number. Needs Python and the program, for `smlm-exp data tokenise`.
"""
import pathlib
import subprocess
import sys

source, rewrites, to = map(pathlib.Path, sys.argv[1:4])
program = sys.argv[4] if len(sys.argv) > 4 else "bin/smlm-exp"


def tokenise(texts, path):
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [program, "data", "tokenise", "--output", str(path)]
    subprocess.run(command, input="".join(text + "\n" for text in texts), encoding="utf-8", check=True)


def lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]


def letters(text):
    return "".join(c for c in text.lower() if c.isalnum())


tests = lines(source / "test.0.txt")
rows = [line.rstrip("\r").split("\t") for line in lines(rewrites)[1:len(tests) + 1]]
for number, (test, row) in enumerate(zip(tests, rows, strict=True), 2):
    if letters(test) != letters(row[0]):
        sys.exit(f"{rewrites}: line {number} is not sentence {number - 1} of {source / 'test.0.txt'}: is it dev.tsv?")
    for person in (2, 3):
        row[person] = row[person] or row[person - 1]

for split in ("train", "dev", "test"):
    for style in "01":
        tokenise(lines(source / f"{split}.{style}.txt"), to / f"{split}.{style}.txt")
for person in (1, 2, 3):
    tokenise([row[person] for row in rows], to / "references" / f"person.{person}.0.txt")
tokenise([row[1] for row in rows], to / "reference.0.txt")
for path in sorted((source / "outputs_toxic_only").glob("*.txt")):
    tokenise(lines(path), to / "outputs" / path.name)
print("sentences with one, two and three rewrites:",
      [sum(len(set(row[1:4])) == n for row in rows) for n in (1, 2, 3)])
