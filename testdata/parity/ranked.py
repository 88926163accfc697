"""Records the settings of docs/decisions/039-ranked.md, and its choice among three ways of writing: see make.py and guided.py for how to run this.

guided_ranked_cnn.safetensors holds the guide of two classes, as guided_cnn.safetensors does. What else the runs ask is that of guided.py:
the n-grams and p(w). guided_ranked.safetensors holds

    NAME                                  the weights of an SMLM encoder, which is asked with and without slots
    input.ids, input.mask, input.styles   sentences, as in guided.safetensors
    ranker.mean, .sd, .bias, .weights     what the features are standardised by, and the three logistic regressions

and, for each of RUNS (the names of those with slots begin so), words, origins, chosen, sure and back as guided.py writes them,
with places and log_q where words may be deleted or inserted. RANKED writes in three ways, and where negations are in the name sentences are
also written with phrases negated (docs/decisions/042-negations.md): input.negated_from and input.negated_to, 0 behind their ends. Of each of
these runs there are also

    expect.ways.RUN      the ways of each sentence among which the ranker chooses, from 1 on; 4: phrases are negated, and nothing else
    expect.way.RUN       the one that it chooses
    expect.features.RUN  the eleven numbers of each of these ways, sentence by sentence; none of a sentence that no way rewrites
    expect.score.RUN     the ranker's log p of each of them
"""

import math
from collections import Counter
from dataclasses import replace

import torch

import guided
from guided import SLOTS, VOCAB, Guided, How, NearTie, at_least, by_word, draw, flat, largest, put_judge, put_outputs, rows
from make import BOS, EOS, SMLM, SPECIAL, Record, WordCNN, build

SEED = 15
SURE, SURE_GUIDE = 3, 2  # what the last layers are multiplied by, so that contrasts and falls reach the bounds of the ways
NEGATED = 0.5  # by which the odds of the style asked for must rise where a phrase is negated
PLAIN = 0.5  # evidence below which a word of the source carries no style
FARTHEST = 4  # standard deviations from the mean that a feature counts as at most
FEATURES = ["odds", "left", "contrast", "places", "plain", "share", "near", "beside", "alike", "fit", "ngrams"]

LIKE_FILE = How(gamma=9, plausible=0.02, price=1.4, fluency=1.5, no_repeats=True, order="confident", more_masks=3, doubt=0.95, restore=0.96,
                revise=True, revise_gamma=0.5, evidence=0.5, length_fit=5)
RUNS = {
    "contrast": How(gamma=2, contrast=1.5),
    "mask_contrast": How(gamma=2, mask_contrast=1),
    "mask_contrast_evidence": How(gamma=2, evidence=0.4, mask_contrast=0.8),
    "restore_contrast": How(gamma=2, restore=0.8, restore_contrast=0.7),
    "slots_contrast": How(gamma=2, slots=SLOTS, contrast=1, mask_contrast=1.2, restore=0.8, restore_contrast=0.7),
}
RANKED = {
    "ranked": LIKE_FILE,
    "ranked_calm": replace(LIKE_FILE, gamma=2, price=0.6, doubt=0.9, restore=0.9),  # less than the third way's
    "slots_ranked": replace(LIKE_FILE, slots=SLOTS, length=-1, length_gamma=1, length_fit=2),
}
RANKED["ranked_negations"], RANKED["slots_ranked_negations"] = RANKED["ranked"], RANKED["slots_ranked"]


def ways(how):
    """The three ways of writing."""
    order = "at_once" if how.revise else how.order
    whole = replace(how, order=order, evidence=0.0, contrast=1.5, mask_contrast=2.5, restore_contrast=1.0)
    calm = replace(whole, mask_contrast=0.0, gamma=min(how.gamma, 7), price=min(how.price, 1), doubt=min(how.doubt, 0.93),
                   restore=min(how.restore, 0.93))
    return [how, whole, calm]


class Ranked(Guided):
    """Writes one sentence in three ways and keeps the best."""

    def use(self, ranker):
        self.ranker = ranker

    def log_q_alone(self, how, ids, k, own, asked):
        """Log q of word k of a sentence, which alone is masked."""
        return self.log_q(how, [[w] for w in ids], [k], own, asked)[k][0, ids[k]].item()

    def alike(self, a, b):
        """The cosine of the vectors that two words have in the last layer."""
        w = self.model.out.weight
        return torch.cosine_similarity(w[a], w[b], dim=0).item()

    def window(self, words, i):
        """Log p of the words that a trigram with word i predicts, the end among them."""
        s = [BOS, *words, EOS]
        return sum(math.log(self.trigrams.p(s[j], tuple(s[max(0, j - 2) : j]))) for j in range(i + 1, min(i + 4, len(s))))

    def features(self, how, ids, written, own):
        """The numbers that the ranker reads, of an output."""
        words, places, *_ = zip(*((w, k) for w, k, origin, *_ in by_word(written) if origin != 5))
        words, cells = list(words), written[0]
        of_output = self.evidence(how, [[w] for w in words], own)
        of_source = self.evidence(how, [[w] for w in ids], own)
        changed = [k for k, cell in enumerate(cells) if cell != [ids[k]]]
        new = [i for i, k in enumerate(places) if k in changed and words[i] != ids[k]]
        near = set()
        for k in changed:
            first = sum(len(cell) for cell in cells[:k])
            near |= set(range(first - 1, first + len(cells[k]) + 1)) & set(range(len(words)))
        to = {i: self.log_q_alone(how, words, i, own, 1 - own) for i in near}
        told = [to[i] - self.log_q_alone(how, words, i, own, own) for i in new]
        beside = [to[i] - self.log_q_alone(how, ids, places[i], own, own) for i in near if i not in new]
        a_word = lambda s: self.trigrams.log_p(s) / (len(s) + 1)
        out = {
            "odds": -self.odds(how, words, own),
            "left": max(of_output.values()),
            "contrast": sum(told) / len(told) if told else 0.0,
            "places": len(changed),
            "plain": sum(not at_least("plain", of_source[k], PLAIN) for k in changed),
            "share": len(changed) / len(ids),
            "near": sum(to.values()) / len(to),
            "beside": min([0.0, *beside]),
            "alike": sum(self.alike(words[i], ids[places[i]]) for i in new) / max(len(new), 1),
            "fit": min([0.0, *(self.window(words, i) - math.log(self.trigrams.p(words[i], ())) for i in near)]),
            "ngrams": a_word(words) - a_word(ids),
        }
        return [float(out[name]) for name in FEATURES]

    def score(self, features):
        """Log of p(style is 2) p(content is 2) p(fluency is 2)."""
        mean, sd, bias, weights = self.ranker
        z = [(x - m) / s for x, m, s in zip(features, mean, sd)]
        self.happened["far"] += sum(abs(x) > FARTHEST for x in z)
        z = [max(-FARTHEST, min(FARTHEST, x)) for x in z]
        return sum(-math.log1p(math.exp(-(b + sum(w * x for w, x in zip(ws, z))))) for b, ws in zip(bias, weights))

    def negate(self, how, ids, own, negations):
        """What stands in the places where phrases are negated."""
        found, k = [], 0
        while k < len(ids):
            fits = [(of, to) for of, to in negations if ids[k : k + len(of)] == of]
            if not fits:
                k += 1
                continue
            of, to = fits[0]
            cells = {k + i: to[i : i + 1] for i in range(len(of))}
            cells[k + len(of) - 1] = to[len(of) - 1 :]
            words = ids[:k] + to + ids[k + len(of) :]
            if words and at_least("negated", self.odds(how, ids, own) - self.odds(how, words, own), NEGATED):
                found.append(cells)
            k += len(of)
        self.happened["two phrases"] += len(found) > 1
        negated = {k: cell for cells in found for k, cell in cells.items()}
        self.happened["all deleted"] += bool(negated) and not any(negated.get(k, [w]) for k, w in enumerate(ids))
        return negated if any(negated.get(k, [w]) for k, w in enumerate(ids)) else {}

    def rank(self, how, ids, first, own, negations=()):
        """What is kept, the ways that are chosen among, the one chosen, their features and scores."""
        negated = self.negate(how, ids, own, negations)
        tried = []  # way from 0 on, and what it writes
        for n, way in enumerate(ways(how)):
            tried.append((n, self.transfer(way, ids, first, own)))
            if negated and way.evidence:
                self.negated = negated
                tried.append((n, self.transfer(way, ids, first, own)))
                self.negated = {}
        if negated:
            self.negated = negated
            cells, origins = self.start(ids), [self.origin(ids, first, (), k) for k in range(len(ids))]
            tried.append((len(ways(how)), (cells, origins, {}, self.sure(how, flat(cells), 1 - own), {})))
            self.negated = {}
        among = []
        for i, (_, written) in enumerate(tried):
            if all(flat(written[0]) != flat(tried[m][1][0]) for m in among):
                among.append(i)
        rewritten = [i for i in among if flat(tried[i][1][0]) != ids]
        self.happened["source left out"] += 0 < len(rewritten) < len(among)
        among = rewritten or among
        features = [self.features(how, ids, tried[i][1], own) for i in rewritten]
        scores = [self.score(f) for f in features]
        kept = among[largest("way", scores)] if scores else among[0]
        self.happened[f"way {tried[kept][0] + 1}"] += 1
        changed = [k for k, cell in negated.items() if tried[kept][1][0][k] == cell and cell != [ids[k]]]
        self.happened["deleted"] += any(not negated[k] for k in changed)
        self.happened["inserted"] += any(len(negated[k]) > 1 for k in changed)
        self.happened["negated and filled"] += bool(changed) and bool(tried[kept][1][2])
        return tried[kept][1], [tried[i][0] for i in among], tried[kept][0], features, scores


def double(tensor):
    return tensor.double().tolist()


@torch.no_grad()
def make(seed):
    _, _, asked, _ = guided.make(guided.SEED)
    model, guide = build(lambda: SMLM(vocab=VOCAB), seed, spread=0.4), build(lambda: WordCNN(VOCAB), seed + 1, spread=0.45)
    model.out.weight *= SURE
    guide.out.weight *= SURE_GUIDE
    torch.manual_seed(seed + 2)
    ids, masks, styles = draw(20, 3, 9, 0.35)
    masks[0] = [False] * len(ids[0])
    refiller = Ranked(model, guide, asked.trigrams, asked.shares)
    refiller.half_empty(ids, masks, styles)
    n = len(FEATURES)
    mean, sd, bias, weights = torch.randn(n), torch.rand(n) + 0.3, torch.randn(3), torch.randn(3, n) / 2
    record = Record(ids=rows(ids), mask=rows(masks), styles=torch.tensor(styles))
    record.weights("", model)
    for name, value in [("mean", mean), ("sd", sd), ("bias", bias), ("weights", weights)]:
        record.put("ranker." + name, value)
    negations = [([w], [[], [w + 1], [w, w + 2], [w + 3, w + 1, w]][w % 4]) for w in range(SPECIAL + 2, VOCAB - 4, 3)]
    negations = [([w, w + 1], [w + 5]) for w in range(SPECIAL, SPECIAL + 6)] + [([SPECIAL], [])] + negations
    record.put("input.negated_from", rows([of for of, _ in negations]))
    record.put("input.negated_to", rows([to for _, to in negations]))
    refiller.use([double(x) for x in (mean, sd, bias, weights)])
    outputs, happened = {}, {}
    for name, how in [*RUNS.items(), *RANKED.items()]:
        refiller.happened = happened[name] = Counter()
        out = []
        for s, on, own in zip(ids, masks, styles):
            first = {k for k, m in enumerate(on) if m}
            negating = negations if "negations" in name else ()
            out.append(refiller.rank(how, s, first, own, negating) if name in RANKED else (refiller.transfer(how, s, first, own),))
        outputs[name] = kept = [o[0] for o in out]
        places = put_outputs(record, name, kept)
        if how.slots or "negations" in name:
            record.put("expect.places." + name, rows(places))
            record.put("expect.log_q." + name, torch.tensor([sum(map(sum, chosen.values())) for _, _, chosen, _, _ in kept]))
        if name in RANKED:
            record.put("expect.ways." + name, rows([[n + 1 for n in o[1]] for o in out]))
            record.put("expect.way." + name, rows([[o[2] + 1] for o in out]))
            record.put("expect.features." + name, torch.tensor([f for o in out for f in o[3]]))
            record.put("expect.score." + name, torch.tensor([x for o in out for x in o[4]]))
    happens(outputs, happened)
    return record, put_judge(guide, ids)


HAPPENS = ["unmasked", "least", "in the source", "beside new words", "no evidence", "half of contrast", "may not return", "another number",
           "source left out", "far", "two phrases", "deleted", "inserted", "negated and filled"]


def happens(outputs, happened):
    """Refuses sentences with which a part of the method decides nothing."""
    total = sum(happened.values(), Counter())
    for part in HAPPENS:
        if not total[part]:
            raise NearTie(f"{part} never happens: {dict(total)}")
    ways = sum((happened[name] for name in RANKED), Counter())
    if min(ways[f"way {n}"] for n in (1, 2, 3, 4)) < 2:
        raise NearTie(f"hardly any of some way: {dict(ways)}")
    words = {name: [flat(o[0]) for o in out] for name, out in outputs.items()}
    for a, b in [("ranked", "ranked_calm"), ("mask_contrast", "contrast")]:
        if words[a] == words[b]:
            raise NearTie(f"{a} and {b} are the same")


if __name__ == "__main__":
    torch.set_num_threads(1)
    ranked, cnn = make(SEED)
    ranked.save("guided_ranked")
    cnn.save("guided_ranked_cnn")
