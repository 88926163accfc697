"""NLTK's reader of any WordNet, for meteor.py beside it."""

import atexit
import os
import re
import shutil
import tempfile
import warnings

import nltk
from nltk.corpus.reader.wordnet import WordNetCorpusReader


class Reader(WordNetCorpusReader):
    """NLTK's reader without its table of other languages, which wants another WordNet beside."""

    def map_wn(self, version="wordnet"):
        return None


def reader(folder):
    """NLTK's reader of a copy of the WordNet in a folder, which may lack the file of lexicographers' names."""
    copy = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, copy)
    nltk.data.path.append(copy)  # it reads nowhere else
    for name in os.listdir(folder):
        if re.match(r"(data|index)\.|.*\.exc$", name):
            shutil.copy(os.path.join(folder, name), copy)
    with open(os.path.join(copy, "lexnames"), "w", encoding="utf-8") as out:
        out.writelines(f"{i:02d}\tname{i}\t1\n" for i in range(45))
    with warnings.catch_warnings(action="ignore"):  # about other languages
        return Reader(copy, None)
