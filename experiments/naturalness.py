"""Writes the naturalness classifiers of github.com/passeul/style-transfer-model-evaluation as files of weights.

    python experiments/naturalness.py ../shared/data/naturalness

Reads the files in raw/ that experiments/data/naturalness.toml downloads, and writes unigram_{ARAE,CAAE,DAR}.tsv. No
code of the pickle runs. The published code gives the word with index 0, "!", the last weight, and so does this. Needs
Python alone.
"""
import array
import pathlib
import pickle
import sys

folder = pathlib.Path(sys.argv[1])


class Inert:
    """Stands for every class and function of the pickle. It keeps what it is given."""

    def __init__(self, *given):
        self.given = given

    def __setstate__(self, state):
        self.state = state


class Reader(pickle.Unpickler):
    def find_class(self, module, name):
        return Inert


def numbers(path):
    """Returns the numbers of a NumPy file of float64 (format 1.0)."""
    raw = path.read_bytes()
    header = 10 + int.from_bytes(raw[8:10], "little")
    if b"'<f8'" not in raw[:header]:
        sys.exit(f"{path} is not a NumPy file of float64")
    values = array.array("d", raw[header:])
    if sys.byteorder == "big":
        values.byteswap()
    return values


with (folder / "raw/vectorizer.pkl").open("rb") as file:
    vocabulary = Reader(file).load().state["vocabulary_"]
# An index is a NumPy scalar, which is made from its type and its bytes.
words = sorted((int.from_bytes(index.given[1], "little") or len(vocabulary), word)
               for word, index in vocabulary.items())
for model in ("ARAE", "CAAE", "DAR"):
    weights = numbers(folder / f"raw/unigram_{model}_weights.npy")
    lines = [("__intercept__", numbers(folder / f"raw/unigram_{model}_intercept.npy")[0])]
    lines += [(word, weights[index]) for index, word in words]
    (folder / f"unigram_{model}.tsv").write_text("".join(f"{word}\t{w}\n" for word, w in lines), encoding="utf-8")
