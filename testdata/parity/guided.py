"""Records guided outputs, written sentence by sentence by the formulas of docs/guided.md: see make.py for how to run this.

guided_cnn.safetensors holds the guide, a word CNN: NAME, and expect.log_p of both styles for the sentences. guided.safetensors holds

    NAME                the weights of an SMLM encoder
    input.text          a training text, sentences of styles 0 and 1 in turn, 0 behind each
    input.punctuation   of each word of the vocabulary: 1 for a punctuation mark
    input.ids           sentences to rewrite, 0 behind the end; input.mask; input.kept: words that never change; input.styles
    expect.word_log_p   log p(w | style) in the text, style by style
    expect.phrases.S    a row for each phrase of style S: its code, then those of its counterparts, the likest first. The ids of a phrase
                        are the digits of its code, to the base of the vocabulary, 0 behind the end
    expect.likeness.S, expect.gain.S   of all these counterparts
    expect.alone        log p of <unk> and of each ordinary word
    expect.fills        the eight likeliest words of every mask, all masked; expect.log_q: log q(w | asked) of each

and, for the settings of RUNS, of all outputs of all sentences, the best of a sentence first

    expect.of.RUN       the number of the sentence, from 1 on
    expect.words.RUN    words, <eos> for a deleted one; expect.origins.RUN: ORIGINS of each, expect.places.RUN: places, both from 1 on
    expect.log_q.RUN    log q of each word that is filled, 0 of others
    expect.style.RUN    the guide's p; expect.odd.RUN: the number of odd trigrams; expect.cost.RUN; expect.worth.RUN

Rounding decides nothing: a text in which two numbers that are compared are nearly equal is refused, and a sentence is left out. The files
were recorded with ATEN_CPU_CAPABILITY=avx2; with other instructions of the CPU last bits differ.
"""

import math
import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations, cycle, pairwise, product
from typing import NamedTuple

import torch
from torch.nn import functional as F

from make import BOS, DST, EOS, MASK, SMLM, SPECIAL, SRC, Record, WordCNN, build, source

UNK = 1
SEED, TEXT, SENTENCES = 5, 1200, 16
MARGIN = 2e-4  # numbers that are 1e-4 apart are equal to the search
EXACT = 1e-9  # of sums in another order; a word has the same gain as a fill and as a phrase

# The parts of a sentence, and what stands there in texts of either style, the frequent first. Now and then it is that of the other style.
GRAMMAR = [
    (["", "well ,", "honestly"], ["", "wow ,", "honestly"]),
    (["the food", "my waiter", "this place"], ["this place", "the food", "our room"]),
    (["was", "is", "was not", "will never be"], ["is", "was", "is always", "was really"]),
    (
        ["bad", "good", "so rude", "cold", "too slow", "rude", "very bad", "good at all"],
        ["great", "so friendly", "good", "quick", "warm and good", "very good", "friendly", "so very quick", "warm", "fresh", "nice",
         "fun"],
    ),
    (["", "and we left", "and i will never come back"], ["", "and i loved it", "again"]),
    ([".", "!"], ["!", "."]),
]
WORDS = sorted({w for part in GRAMMAR for style in part for option in style for w in option.split()})
ID = {w: SPECIAL + i for i, w in enumerate(WORDS)}
VOCAB = SPECIAL + len(WORDS)
PUNCTUATION = {ID[w] for w in ",.!"}


@dataclass
class How:
    """Settings of [guided], whether unknown words stay, and the most outputs of a sentence."""

    style: float = 1.2
    fluency: float = 1
    style_cost: float = 1
    keep_unknown: bool = False
    most: int = 1


RUNS = {
    "defaults": How(),
    "candidates": How(most=5),
    "style_6": How(style=6),
    "keep_unknown": How(style=6, fluency=0, keep_unknown=True),
    "fluency_0": How(style=6, fluency=0),
    "style_cost_0": How(style_cost=0),
}


class NearTie(Exception):
    """A choice that rounding could make otherwise."""


def exceeds(a, b, by=MARGIN):
    if abs(a - b) < by:
        raise NearTie(f"{a} and {b}")
    return a > b


# The training text.


def sentence(style, rng):
    """The words of an invented sentence."""
    out = []
    for part in GRAMMAR:
        options = part[style if rng.random() < 0.94 else 1 - style]
        option = rng.choices(options, [1 / n for n in range(1, len(options) + 1)])[0]
        out += [ID[w] if rng.random() < 0.985 else UNK for w in option.split()]
    return out


class Trigrams:
    """The trigrams of a text, and log p of its words, as the comment of package lm/ngram writes it."""

    def __init__(self, text):
        self.seen, before = set(), defaultdict(set)
        for ids in text:
            self.seen.update(trigrams_of(ids))
            for v, w in pairwise([BOS, *ids, EOS]):
                before[w].add(v)
        self.a = {w: len(words) for w, words in before.items()}
        self.d = self.discounts()

    def discounts(self):
        n1, n2, n3, n4 = (list(self.a.values()).count(k) for k in (1, 2, 3, 4))
        if min(n1, n2, n3, n4) > 0:
            y = n1 / (n1 + 2 * n2)
            d = [0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
            if all(0 < d[k] <= k for k in (1, 2, 3)):
                return d
        return [0, 0.5, 1, 1.5]

    def alone(self, w):
        a, of = self.a.get(w, 0), lambda count: self.d[min(count, 3)]
        gamma = sum(map(of, self.a.values()))
        return math.log((a - of(a) + gamma / (VOCAB - SPECIAL + 2)) / sum(self.a.values()))


class Counterpart(NamedTuple):
    ids: tuple
    likeness: float
    gain: float


class Phrases:
    """How the styles of a text use words and phrases."""

    def __init__(self, text, styles):
        words = [Counter(w for ids, s in zip(text, styles) if s == style for w in ids) for style in (0, 1)]
        self.log_p = [[math.log((n[w] + 3) / (n.total() + 3)) for w in range(VOCAB)] for n in words]
        around = [defaultdict(Counter), defaultdict(Counter)]  # by style and phrase: how often which words stand around it
        for ids, style in zip(text, styles):
            s = [0, *ids, 0]
            for i, n in product(range(1, len(ids) + 1), range(1, 5)):
                phrase = tuple(s[i : i + n])
                if i + n < len(s) and not {UNK, *PUNCTUATION} & {*phrase}:
                    around[style][phrase][s[i - 1], s[i + n]] += 1
        times = [Counter({p: sum(a.values()) for p, a in around[style].items()}) for style in (0, 1)]
        often = {p for p in times[0] | times[1] if times[0][p] + times[1][p] >= 20}
        self.left_out = Counter(rare=len(times[0] | times[1]) - len(often))
        self.counterparts = []
        for of, to in ((0, 1), (1, 0)):

            def odds(phrase):
                shares = [math.log((times[s][phrase] + 1) / (sum(words[s].values()) + 1)) for s in (of, to)]
                return shares[1] - shares[0]

            table = {}
            for p in sorted(often & around[of].keys()):
                found = []
                for c in sorted(often & around[to].keys()):
                    shares = ((n / times[of][p], around[to][c][a] / times[to][c]) for a, n in around[of][p].items())
                    likeness, gain = sum(math.sqrt(x * y) for x, y in shares), odds(c) - odds(p)
                    bounds = [times[to][c] >= 3, exceeds(likeness, 0.1, EXACT), exceeds(gain, 1, EXACT)]
                    if all(bounds):
                        found.append(Counterpart(c, likeness, gain))
                    elif sum(bounds) == 2:
                        self.left_out[["used little", "unlike", "no gain"][bounds.index(False)]] += 1
                found.sort(key=lambda c: -c.likeness)
                for a, b in pairwise(found[:11]):
                    exceeds(a.likeness, b.likeness, EXACT)
                self.left_out["after ten"] += len(found[10:])
                if found:
                    table[p] = found[:10]
            self.counterparts.append(table)

    @staticmethod
    def log_share(counts, w):
        return math.log((counts[w] + 1) / (counts.total() + 1))


# The search.


class Word(NamedTuple):
    id: int
    origin: str  # kept, filled or rephrased
    log_q: float = 0.0


def ids_of(cells):
    """The words of a draft, which has a cell of words for each place of the source; that of a deleted word is empty."""
    return tuple(w.id for cell in cells for w in cell)


def aligned(source, output):
    """The words of an output in the place of each word of its source."""
    for n in range(min(len(source), len(output)), -1, -1):
        pairs = product(combinations(range(len(source)), n), combinations(range(len(output)), n))
        common = [list(zip(a, b)) for a, b in pairs if all(source[i] == output[j] for i, j in zip(a, b))]
        if common:
            break
    if len(common) > 1:
        raise NearTie(f"{source} and {output} have several words in common")
    cells = [[] for _ in source]
    for (i, j), (next_i, next_j) in pairwise([(-1, -1), *common[0], (len(source), len(output))]):
        for k, w in enumerate(output[j + 1 : next_j]):
            cells[max(0, min(i + 1 + k, next_i - 1))].append(w)  # of some that are left over: the place of the word before them
        if next_i < len(source):
            cells[next_i].append(output[next_j])
    return cells


def by_likelihood(log_q):
    """All words, the likeliest first. The order counts of the first eight, and of one more."""
    order = sorted(range(SPECIAL, VOCAB), key=lambda w: -log_q[w])
    for a, b in pairwise(order[:9]):
        exceeds(log_q[a], log_q[b], MARGIN / 10)
    return order


def trigrams_of(ids):
    """The trigrams of a sentence with its start and its end."""
    s = [BOS, *ids, EOS]
    return list(zip(s, s[1:], s[2:]))


class Draft:
    """Words, and what the models say of them."""

    def __init__(self, search, cells):
        self.cells, self.ids = cells, ids_of(cells)
        self.odd = sum(t not in search.known and t not in search.trigrams.seen for t in trigrams_of(self.ids))
        self.cost = sum(map(search.cost, search.source, cells))
        self.log_p = search.styles(self.ids)
        self.odds = search.odds(self.log_p)
        self.worth = search.worth(self, self.odds)


class Search:
    """Rewrites one sentence."""

    def __init__(self, models, how, ids, masks, fixed, own):
        self.model, self.guide, self.trigrams, self.phrases, self.happened = models
        self.how, self.source, self.own, self.asked = how, ids, own, 1 - own
        self.known = set(trigrams_of(ids))
        self.unchanged = tuple((Word(w, "kept"),) for w in ids)
        self.fixed = {k for k, on in enumerate(fixed) if on or how.keep_unknown and ids[k] == UNK}
        self.happened["fixed"] += any(masks[k] for k in self.fixed)
        self.masks = {k for k, on in enumerate(masks) if on}

    def styles(self, ids):
        """The guide's log p of both styles."""
        return F.log_softmax(self.guide(torch.tensor([ids])), dim=1)[0].tolist()

    def odds(self, log_p):
        return log_p[self.asked] - log_p[self.own]

    def log_share_odds(self, w):
        return self.phrases.log_p[self.asked][w] - self.phrases.log_p[self.own][w]

    def worth(self, draft, odds):
        return self.how.style * 3 * math.log(1 / (1 + math.exp(-odds / 3))) - self.how.fluency * draft.odd - draft.cost

    def cost(self, w, cell):
        """The cost of what stands in the place of a word of the source."""
        if w in (x.id for x in cell):
            return len(cell) - 1
        rarity = min(1, max(0, (-4 - self.trigrams.alone(w)) / 6))
        odds = self.log_share_odds(w)
        cheaper = (1 - self.how.style_cost) * min(1, max(0, -odds / 2))
        return max(1, len(cell)) - cheaper + rarity * max(0, 1 - abs(odds) / 2)

    def is_kept(self, cells, k):
        """Whether a place has the word of the source alone."""
        return cells[k] == (Word(self.source[k], "kept"),)

    def may_change(self, cells, k):
        return self.is_kept(cells, k) and k not in self.fixed

    def fills(self, cells, wanted):
        """Log q of each word at each of these places, all of them masked, in the style asked for."""
        given, at = [], {}
        for k, cell in enumerate(cells):
            at[k] = len(given)
            given += [MASK] if k in wanted else [w.id for w in cell]
        states = self.model.states(torch.tensor([[*given, SRC + self.own, DST + self.asked]]))
        log_q = F.log_softmax(self.model.out(states), dim=2)[0].tolist()
        return {k: log_q[at[k]] for k in wanted}

    def best(self, log_q):
        """The words that are tried at a place."""
        return [Word(w, "filled", log_q[w]) for w in by_likelihood(log_q)[:3]]

    def edits(self, cells):
        """All that one edit makes of a draft, and by how much the log odds are thought to rise."""
        open_to = [k for k, w in enumerate(self.source) if self.may_change(cells, k) and (k in self.masks or self.log_share_odds(w) <= -1)]
        fills = self.fills(cells, open_to) if open_to else {}
        for k, w in enumerate(self.source):
            put = lambda *new: (*cells[:k], *map(tuple, new), *cells[k + len(new) :])
            for n in range(1, 5):
                if k + n > len(cells) or not all(self.may_change(cells, i) for i in range(k, k + n)):
                    break
                phrase = self.source[k : k + n]
                for c in self.phrases.counterparts[self.own].get(tuple(phrase), ()):
                    new = [[Word(x, "kept" if x == w and x not in cell[:n] else "rephrased") for n, x in enumerate(cell)]
                           for w, cell in zip(phrase, aligned(phrase, c.ids))]
                    yield put(*new), c.gain
            if k in fills:
                for fill in self.best(fills[k]):
                    if fill.id != w:
                        yield put([fill]), self.log_share_odds(fill.id) - self.log_share_odds(w)
                if len(ids_of(cells)) > 1:
                    yield put([]), -self.log_share_odds(w)

    def trials(self, now):
        """The twelve most promising drafts that one edit makes. Of the same words from several edits the most promising, or the first."""
        found = {}
        for cells, gain in self.edits(now.cells):
            draft = Draft(self, cells)
            estimate = self.worth(draft, now.odds + gain)
            before, other = found.setdefault(draft.ids, (estimate, draft))
            self.happened["the same words by another edit"] += other.cells != cells
            if abs(estimate - before) > EXACT and exceeds(estimate, before):
                found[draft.ids] = estimate, draft
        best = sorted(found.values(), key=lambda x: -x[0])
        if len(best) > 12:
            exceeds(best[11][0], best[12][0])
            self.happened["not promising, but the best"] += max(best, key=lambda x: x[1].worth) in best[12:]
        return [draft for _, draft in best[:12]]

    def outputs(self):
        """The best outputs, the best first."""
        now, found = Draft(self, self.unchanged), {}
        while True:
            tried = sorted(self.trials(now), key=lambda d: -d.worth)
            self.put(found, *tried, now)
            if len(tried) > 1:
                exceeds(tried[0].worth, tried[1].worth)
            if not tried or tried[0].cells == now.cells or not exceeds(tried[0].worth, now.worth):
                break
            now = tried[0]
        self.put(found, now)
        best = sorted(found.values(), key=lambda d: -d.worth)
        for a, b in pairwise(best[: self.how.most + 1]):
            exceeds(a.worth, b.worth)
        return best[: self.how.most]

    def put(self, found, *drafts):
        """Of drafts with the same words the last one stays."""
        for draft in drafts:
            if draft.ids in found:
                self.happened["the last is worse"] += draft.worth < found[draft.ids].worth - MARGIN
            found[draft.ids] = draft


# What is recorded.

ORIGINS = ["kept", "filled", "rephrased", "deleted"]


def rows(lists, dtype=torch.int64):
    """A matrix of lists, 0 behind their ends."""
    out = torch.zeros(len(lists), max(map(len, lists)), dtype=dtype)
    for i, row in enumerate(lists):
        out[i, : len(row)] = torch.tensor(row, dtype=dtype)
    return out


def floats(values):
    return torch.tensor(list(values), dtype=torch.float32)


def put_table(record, phrases):
    code = lambda ids: sum(w * VOCAB**n for w, n in zip(ids, (3, 2, 1, 0)))
    record.put("expect.word_log_p", floats(phrases.log_p[0] + phrases.log_p[1]))
    for style, table in enumerate(phrases.counterparts):
        all_of = [c for found in table.values() for c in found]
        record.put(f"expect.phrases.{style}", rows([[code(p), *(code(c.ids) for c in found)] for p, found in table.items()]))
        record.put(f"expect.likeness.{style}", floats(c.likeness for c in all_of))
        record.put(f"expect.gain.{style}", floats(c.gain for c in all_of))


def put_outputs(record, name, own, outputs):
    all_of = [d for found in outputs for d in found]
    words = [[(k + 1, w) for k, cell in enumerate(d.cells) for w in cell or [Word(EOS, "deleted")]] for d in all_of]
    record.put("expect.of." + name, torch.tensor([i + 1 for i, found in enumerate(outputs) for _ in found]))
    record.put("expect.words." + name, rows([[w.id for _, w in row] for row in words]))
    record.put("expect.origins." + name, rows([[ORIGINS.index(w.origin) + 1 for _, w in row] for row in words]))
    record.put("expect.places." + name, rows([[k for k, _ in row] for row in words]))
    record.put("expect.log_q." + name, floats(w.log_q for row in words for _, w in row))
    record.put("expect.style." + name, floats(math.exp(d.log_p[1 - s]) for s, found in zip(own, outputs) for d in found))
    record.put("expect.odd." + name, torch.tensor([d.odd for d in all_of]))
    record.put("expect.cost." + name, floats(d.cost for d in all_of))
    record.put("expect.worth." + name, floats(d.worth for d in all_of))


def draw(log_p, rng):
    """Sentences of both styles in turn, masks, mostly on words of their style, and words that never change."""
    for own in cycle((0, 1)):
        ids = [w if rng.random() < 0.95 else UNK for w in sentence(own, rng)]
        masks = [rng.random() < (0.9 if log_p[own][w] - log_p[1 - own][w] > 1 else 0.2) for w in ids]
        yield own, ids, masks, [rng.random() < 0.06 for _ in ids]


def learn(model, loss, text, styles, steps):
    """A few steps of Adam, each with the sentences of one length; loss is of ids and styles."""
    by_length = defaultdict(list)
    for ids, style in zip(text, styles):
        by_length[len(ids)].append((ids, style))
    batches = [[torch.tensor(x) for x in zip(*batch)] for batch in by_length.values() if len(batch) > 20]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        optimizer.zero_grad()
        loss(*batches[step % len(batches)]).backward()
        optimizer.step()


def make_models(text, styles):
    model, guide = build(lambda: SMLM(vocab=VOCAB), SEED), build(lambda: WordCNN(VOCAB), SEED + 1)

    def of_masked(ids, styles):
        mask = torch.rand(ids.shape) < 0.3
        return F.cross_entropy(model.out(model.states(source(ids, mask, styles, styles)))[mask], ids[mask])

    learn(model, of_masked, text, styles, 800)
    learn(guide, lambda ids, styles: F.cross_entropy(guide(ids), styles), text, styles, 100)
    return model, guide


def make():
    rng, happened = random.Random(SEED), Counter()
    styles = [i % 2 for i in range(TEXT)]
    text = [sentence(style, rng) for style in styles]
    phrases, trigrams = Phrases(text, styles), Trigrams(text)
    model, guide = make_models(text, styles)
    written, fills, outputs = [], [], {name: [] for name in RUNS}
    for own, ids, masks, fixed in draw(phrases.log_p, rng):
        happens = Counter()
        models = model, guide, trigrams, phrases, happens
        try:
            with torch.no_grad():
                found = {name: Search(models, how, ids, masks, fixed, own).outputs() for name, how in RUNS.items()}
                all_masked = Search(models, RUNS["defaults"], ids, masks, fixed, own)
                of_masks = all_masked.fills(all_masked.unchanged, sorted(all_masked.masks)).values()
                of_masks = [(by_likelihood(log_q)[:8], log_q) for log_q in of_masks]
        except NearTie:
            continue
        written.append((own, ids, masks, fixed))
        happened += happens
        fills += of_masks
        for name, best in found.items():
            outputs[name].append(best)
        if len(written) == SENTENCES:
            break
    own, ids, masks, fixed = zip(*written)
    check(ids, outputs, happened, phrases.left_out)

    record = Record(ids=rows(ids), mask=rows(masks), kept=rows(fixed), styles=torch.tensor(own),
                    text=torch.tensor([w for s in text for w in [*s, 0]]),
                    punctuation=torch.tensor([w in PUNCTUATION for w in range(VOCAB)]))
    record.weights("", model)
    put_table(record, phrases)
    record.put("expect.alone", floats(trigrams.alone(w) for w in (UNK, *range(SPECIAL, VOCAB))))
    record.put("expect.fills", rows([words for words, _ in fills]))
    record.put("expect.log_q", floats(log_q[w] for words, log_q in fills for w in words))
    for name, found in outputs.items():
        put_outputs(record, name, own, found)
    of_guide = Record()
    of_guide.weights("", guide)
    of_guide.put("expect.log_p", F.log_softmax(torch.cat([guide(torch.tensor([s])) for s in ids]), dim=1))
    return record, of_guide


OTHERS = [("defaults", "style_6"), ("defaults", "style_cost_0"), ("fluency_0", "keep_unknown"), ("style_6", "fluency_0")]
HAPPENS = ["fixed", "the same words by another edit", "not promising, but the best"]
LEFT_OUT = ["rare", "used little", "unlike", "no gain", "after ten"]


def check(sources, outputs, happened, left_out):
    """Refuses a text and models with which a part of the method decides nothing."""
    best = {name: [found[0] for found in of] for name, of in outputs.items()}
    seen = Counter()
    for of in best.values():
        for draft, ids in zip(of, sources):
            seen += Counter(w.origin for cell in draft.cells for w in cell or [Word(EOS, "deleted")])
            seen["inserted"] += any(len(cell) > 1 for cell in draft.cells)
            seen["rewritten"] += list(draft.ids) != ids
    print(dict(seen), dict(happened), dict(left_out))
    assert all(seen[part] for part in [*ORIGINS, "inserted", "rewritten"])
    assert all(happened[part] for part in HAPPENS) and all(left_out[part] for part in LEFT_OUT)
    for a, b in OTHERS:
        assert [d.cells for d in best[a]] != [d.cells for d in best[b]], f"{a} and {b} are the same"


if __name__ == "__main__":
    torch.set_num_threads(1)
    record, of_guide = make()
    record.save("guided")
    of_guide.save("guided_cnn")
