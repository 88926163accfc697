"""Cuts the sources, human rewrites and outputs of github.com/luofuli/Fine-grained-Sentiment-Transfer into directions.

    python experiments/five_stars.py ../shared/data/other/yelp-five-stars FOLDER

The 500 published sources have no star of their own, and there is a rewrite of each for every star. A source is put into
the style that naive Bayes over words and pairs of neighbours of the training text finds likeliest: FOLDER/test.0.txt
has those of one star. Its rewrites in other stars become FOLDER/reference.0-4.txt, of one star in five, and the outputs
of a system FOLDER/outputs/SYSTEM.0-4.txt. Training and dev sentences are copied. Needs Python alone.
"""
import collections
import math
import pathlib
import sys

STARS = range(5)
source, to = map(pathlib.Path, sys.argv[1:3])
published = source / "published"


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


def write(path, texts):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(text + "\n" for text in texts), encoding="utf-8")


def features(line):
    words = line.split()
    return words + list(zip(words, words[1:]))


counts = [collections.Counter(f for l in lines(source / f"train.{k}.txt") for f in features(l)) for k in STARS]
totals, kinds = [sum(c.values()) for c in counts], len(set().union(*counts))


def star(line):
    known = [f for f in features(line) if any(f in c for c in counts)]
    return max(STARS, key=lambda k: sum(math.log((counts[k][f] + 1) / (totals[k] + kinds)) for f in known))


texts = lines(published / "source.txt")
stars = [star(text) for text in texts]
for own in STARS:
    def of(own_texts):
        return [text for text, k in zip(own_texts, stars) if k == own]

    for split in ("train", "dev"):
        write(to / f"{split}.{own}.txt", lines(source / f"{split}.{own}.txt"))
    write(to / f"test.{own}.txt", of(texts))
    for asked in STARS:
        if asked == own:
            continue
        write(to / f"reference.{own}-{asked}.txt", of(lines(published / f"reference.to{asked + 1}.txt")))
        for path in sorted((published / "outputs").glob(f"*.to{asked + 1}.txt")):
            name = path.name.removesuffix(f".to{asked + 1}.txt")
            write(to / "outputs" / f"{name}.{own}-{asked}.txt", of(lines(path)))
print("sources by star:", [stars.count(k) for k in STARS])
