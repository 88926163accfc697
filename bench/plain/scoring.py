"""Scores one system the way other programs do: lists of outputs against lists of sources."""

import json


def read(path):
    with open(path, encoding="utf-8") as f:
        text = json.load(f)
    return [" ".join(s) for s in text["outputs"]], [" ".join(s) for s in text["sources"]]


def make(case):
    """Returns a function that scores the system once, and returns its BLEU-4 in percent, or, of "full", its perplexity."""
    name = case["scorer"]
    if name == "full":
        import fluency

        return fluency.full(case)
    outputs, sources = read(case["data"])
    return {"coco": coco, "coco_new": coco_new, "coco_three": coco_three, "sacrebleu": sacrebleu, "nltk": nltk}[name](outputs, sources)


def scorers():
    """What nlg-eval calls for BLEU, METEOR, ROUGE-L and CIDEr: coco-caption's scorers."""
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge

    return [Bleu(4), Meteor(), Rouge(), Cider()]


def score(made, outputs, sources):
    refs = {i: [s] for i, s in enumerate(sources)}
    hyps = {i: [o] for i, o in enumerate(outputs)}
    results = []
    for scorer in made:
        extra = {"verbose": 0} if type(scorer).__name__ == "Bleu" else {}
        results.append(scorer.compute_score(refs, hyps, **extra)[0])
    return 100 * results[0][3]


def coco(outputs, sources):
    """The scorers are made once, as by nlg-eval's class NLGEval."""
    made = scorers()
    return lambda: score(made, outputs, sources)


def coco_three(outputs, sources):
    """Those that are written in Python, without METEOR."""
    made = [s for s in scorers() if type(s).__name__ != "Meteor"]
    return lambda: score(made, outputs, sources)


def coco_new(outputs, sources):
    """The scorers are made for every system, METEOR's Java program started with them, as by nlg-eval's command line."""

    def once():
        made = scorers()
        value = score(made, outputs, sources)
        made[1].__del__()  # ends METEOR's process
        return value

    return once


def sacrebleu(outputs, sources):
    import sacrebleu as library

    return lambda: library.corpus_bleu(outputs, [sources], tokenize="none").score


def nltk(outputs, sources):
    from nltk.translate.bleu_score import corpus_bleu

    return lambda: 100 * corpus_bleu([[s.split()] for s in sources], [o.split() for o in outputs])
