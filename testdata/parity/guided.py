"""Records guided refill as docs/decisions/016-guided-refill.md has it, sentence by sentence: see make.py for how to run this.

guided_cnn.safetensors holds the guide, a word CNN: NAME, input.ids and expect.log_p of both styles. guided.safetensors holds

    NAME               the weights of an SMLM encoder
    input.ids          words of the sentences, 0 behind the end; input.mask, input.styles
    input.text         a training text in the same form, of which the n-grams and p(w) are; input.text_mask, input.text_styles
    expect.log_share   log p(w) by style and word
    expect.fluency     log p of the sentences, by trigrams
    expect.fills       the 32 likeliest words of every mask, all masked; expect.log_q is log q(w | x^m, s') of each
    expect.score.RUN   log q + gamma (log q(w | x^m, s') - log q(w | x^m, s)) of these, less that of the likeliest
    expect.words.RUN   the output; expect.origins.RUN: ORIGINS of its words; expect.chosen.RUN: log q(w | x^m, s') when it was chosen
    expect.sure.RUN    the guide's p(s' | output), 0 without a guide; expect.back.RUN: its p beside restored words, 0 beside others

for the settings of RUNS. guided_slots.safetensors holds the same of SLOT_RUNS: NAME, the weights of an SMLM encoder whose masked words are
groups of SLOTS slots, and of each run words, origins, chosen, sure and back as above, where origins, chosen and back are of the words and of
places where nothing stands, and

    expect.places.RUN  the place in the source of each of these; expect.log_q.RUN: the sum of log q of all that was chosen, empty words too

What these runs ask beside that encoder, and the sentences but for input.mask, are those of the other files. A choice that another rounding could make otherwise is an error: then other weights must be drawn. The files were
recorded with ATEN_CPU_CAPABILITY=avx2; with other instructions of the CPU last bits differ.
"""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace

import torch
from torch.nn import functional as F

from make import BOS, DST, EOS, MASK, SMLM, SPECIAL, SRC, Record, WordCNN, build

VOCAB = 60  # more ordinary words than fills
UNK, FILLS = 1, 32
ORIGINS = ["kept", "restored", "refilled", "added", "inserted", "deleted"]
SLOTS = 3
PUNCTUATION = range(SPECIAL, VOCAB, 2)  # words that count as punctuation marks
SEED, SEED_SLOTS = 509, 76  # of all, of the encoder with slots
MARGIN = 1e-4  # of what is chosen above what is not, in log p; rounding is some 1e-6
EQUAL = 1e-4  # numbers that are this close are equal (decision 030)


@dataclass
class How:
    """Settings of [guided]."""

    gamma: float = 0.0
    plausible: float = 0.05
    price: float = 0.0
    fluency: float = 0.0
    no_repeats: bool = False
    order: str = "at_once"
    more_masks: int = 0
    doubt: float = 0.9
    restore: float = 0.0
    revise: bool = False
    revise_gamma: float = 0.0
    evidence: float = 0.0
    slots: int = 0  # 0: a mask becomes one word
    length: float = 0.0
    length_gamma: float = 0.0
    length_fit: float = 0.0
    contrast: float = 0.0
    mask_contrast: float = 0.0
    restore_contrast: float = 0.0
    no_punctuation: bool = False
    revising: bool = False  # words are chosen once more

    @property
    def guided(self):
        return self.more_masks > 0 or self.restore > 0 or self.revise or self.evidence > 0


RUNS = {
    "gamma_0": How(),
    "gamma_0.5": How(gamma=0.5),
    "gamma_2": How(gamma=2),
    "all_fills": How(gamma=2, plausible=1e-9),
    "confident": How(gamma=2, order="confident"),
    "price": How(gamma=0.5, plausible=0.02, price=0.6),
    "no_repeats": How(gamma=0.5, plausible=0.3, no_repeats=True),
    "fluency": How(gamma=0.5, plausible=0.02, fluency=1.5),
    "restore": How(gamma=2, restore=0.9),
    "more_masks": How(gamma=0.5, more_masks=3),
    "revise": How(gamma=2, fluency=1.5, revise=True),
    "revise_gamma": How(gamma=2, fluency=1.5, order="confident", restore=0.9, revise=True, revise_gamma=0.5),
    "unrevised": How(2, 0.02, 0.6, 1.5, True, "confident", 3, 0.9, 0.9),
    "two_classes": How(2, 0.02, 0.6, 1.5, True, "confident", 3, 0.9, 0.9, True, 0.5),
    "evidence": How(gamma=2, evidence=0.5),
    "no_punctuation": How(gamma=2, plausible=0.02, no_punctuation=True),
    "no_punctuation_repeats": How(gamma=0.5, plausible=0.3, no_repeats=True, no_punctuation=True),
}

SLOT_RUNS = {
    name: replace(how, slots=SLOTS)
    for name, how in {
        "plain": How(),
        "longer": How(length=1),
        "shorter": How(length=-1),
        "gamma": How(gamma=2),
        "length_gamma": How(gamma=2, length_gamma=1),
        "no_repeats": How(gamma=2, plausible=0.3, no_repeats=True, length=-1),
        "confident": How(gamma=2, order="confident", length_gamma=1),
        "restore": How(gamma=2, fluency=1.5, restore=0.9, more_masks=2, length=-1),
        "fit": How(gamma=2, fluency=1.5, order="confident", length_gamma=1, length_fit=3),
        "revise": How(gamma=2, fluency=1.5, revise=True, revise_gamma=0.5, length_gamma=1),
        "revise_fit": How(gamma=2, fluency=1.5, revise=True, revise_gamma=0.5, length=1, length_fit=3),
        "revise_shorter": How(gamma=2, order="confident", restore=0.8, revise=True, length=-1, length_gamma=1),
        "whole": How(2, 0.02, 0.6, 1.5, True, "confident", 3, 0.9, 0.9, True, 0.5, 0.5, length=1, length_gamma=1, length_fit=3),
    }.items()
}


class NearTie(Exception):
    """A choice that rounding could make otherwise."""


def apart(what, a, b, by=MARGIN):
    if abs(a - b) < by:
        raise NearTie(f"{what}: {a} and {b}")


def at_least(what, a, b):
    """Whether a number is another or more, or equal to it."""
    apart(what, a, b - EQUAL, MARGIN / 10)
    return a >= b - EQUAL


def at_least_p(what, p, q):
    """The same of probabilities."""
    return at_least(what, math.log(p), math.log(q))


def largest(what, values):
    """The index of the largest, the first of equal ones."""
    top = max(values)
    return [at_least(what, v, top) for v in values].index(True)


class Trigrams:
    """Interpolated modified Kneser-Ney of order 3, as the comment of package lm/ngram writes it."""

    ORDER = 3

    def __init__(self, text):
        self.times, self.before, self.after = Counter(), defaultdict(set), defaultdict(set)
        for ids in text:
            s = [BOS, *ids, EOS]
            for n in range(1, self.ORDER + 1):
                for i in range(len(s) - n + 1):
                    gram = tuple(s[i : i + n])
                    self.times[gram] += 1
                    self.after[gram[:-1]].add(gram[-1])
                    if i > 0:
                        self.before[gram].add(s[i - 1])
        self.after[()].discard(BOS)
        self.discounts = {n: self.discount(n) for n in range(1, self.ORDER + 1)}

    def a(self, gram):
        return self.times[gram] if len(gram) == self.ORDER or gram[0] == BOS else len(self.before[gram])

    def discount(self, n):
        having = Counter(self.a(g) for g in self.times if len(g) == n and g != (BOS,))
        n1, n2, n3, n4 = (having[k] for k in (1, 2, 3, 4))
        if min(n1, n2, n3, n4) > 0:
            y = n1 / (n1 + 2 * n2)
            d = [0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
            if all(0 < d[k] <= k for k in (1, 2, 3)):
                return d
        return [0, 0.5, 1, 1.5]

    def p(self, w, h):
        shorter = self.p(w, h[1:]) if h else 1 / (VOCAB - SPECIAL + 2)
        d = self.discounts.get(len(h) + 1)
        counts = [self.a((*h, v)) for v in self.after.get(h, ())]
        if not counts:
            return shorter
        of = lambda count: d[min(count, 3)]
        here = self.a((*h, w)) if w in self.after[h] else 0
        return (here - of(here)) / sum(counts) + sum(map(of, counts)) / sum(counts) * shorter

    def log_p(self, ids):
        """Of a sentence; a mask contributes nothing and ends what is known of the words before."""
        total, h = 0.0, (BOS,)
        for w in [*ids, EOS]:
            if w == MASK:
                h = ()
                continue
            total += math.log(self.p(w, h))
            h = (*h, w)[-(self.ORDER - 1) :]
        return total


def log_shares(text, masks, styles):
    """log p(w) by style: the share of w among the masked words of the style; one that never was masked counts as half a time."""
    out = torch.zeros(2, VOCAB, dtype=torch.float64)
    for style in (0, 1):
        counts = Counter(w for ids, on, s in zip(text, masks, styles) for w, m in zip(ids, on) if m and s == style)
        for w in range(VOCAB):
            out[style, w] = math.log((counts[w] or 0.5) / sum(counts.values()))
    return out


def flat(cells, k=None, by=()):
    """The words of a sentence, given those in each place of the source; with k others stand in that place."""
    return [w for i, cell in enumerate(cells) for w in (by if i == k else cell)]


def before(cells, k):
    """The number of words before place k."""
    return sum(map(len, cells[:k]))


def repeats(ids, cells, k):
    """Whether the source's word at k would stand beside itself where the source has another word."""
    others, at = flat(cells, k), before(cells, k)
    left = at > 0 and others[at - 1] == ids[k] and not (k > 0 and ids[k - 1] == ids[k])
    right = at < len(others) and others[at] == ids[k] and not (k + 1 < len(ids) and ids[k + 1] == ids[k])
    return left or right


class Guided:
    """Rewrites one sentence at a time."""

    def __init__(self, model, guide, trigrams, shares):
        self.model, self.guide, self.trigrams, self.shares = model, guide, trigrams, shares
        self.happened = Counter()
        self.negated = {}  # what stands in places of the source where a phrase was negated (ranked.py)

    def start(self, ids):
        """What stands in each place at first."""
        return [list(self.negated.get(k, [w])) for k, w in enumerate(ids)]

    def origin(self, ids, first, masks, k):
        """That of the first word in a place that is not restored."""
        if k in masks:
            return 2 if k in first else 3
        return 3 if k in self.negated and self.negated[k][:1] != [ids[k]] else 0

    def free(self, ids, masks=()):
        """Places whose words may be masked yet."""
        return [k for k in range(len(ids)) if k not in masks and k not in self.negated]

    def log_q(self, how, cells, masks, own, asked):
        """Log q(. | x^m) over all the vocabulary, at every slot of each mask."""
        group = [MASK] + [EOS] * (max(1, how.slots) - 1)
        given = flat([group if k in masks else cell for k, cell in enumerate(cells)])
        log_q = F.log_softmax(self.model.out(self.model.states(torch.tensor([[*given, SRC + own, DST + asked]]))), dim=2)[0]
        out, at = {}, 0
        for k, cell in enumerate(cells):
            if k in masks:
                out[k] = log_q[at : at + len(group)]
            at += len(group) if k in masks else len(cell)
        return out

    def styles(self, how, ids):
        """The guide's p of both styles."""
        return F.softmax(self.guide(torch.tensor([ids])), dim=1)[0]

    def sure(self, how, ids, asked):
        return self.styles(how, ids)[asked].item()

    def odds(self, how, words, own):
        """Log p(s) - log p(s')."""
        p = self.styles(how, words).log()
        return (p[own] - p[1 - own]).item()

    def evidence(self, how, cells, own):
        """By how much these odds fall where what stands in a place is hidden, of each place that is not empty."""
        now = self.odds(how, flat(cells), own)
        return {k: now - self.odds(how, flat(cells, k, [UNK]), own) for k, cell in enumerate(cells) if cell}

    def half_empty(self, ids, masks, styles):
        """Changes the encoder: as many slots are empty as not."""
        to = [self.log_q(How(slots=SLOTS), [[w] for w in s], [k for k, m in enumerate(on) if m], own, 1 - own)
              for s, on, own in zip(ids, masks, styles)]
        empty = torch.cat([q[:, EOS] for places in to for q in places.values()])
        self.model.out.bias[EOS] -= (empty - torch.log(-torch.expm1(empty))).median()

    def word_contrasts(self, how, ids, cells, wanted, own):
        """Log q(w | s) - log q(w | s') of the source's word w in each of these places, of which every third is masked at the same time."""
        out = {}
        for rest in range(3):
            masks = [k for k in wanted if k % 3 == rest]
            if masks:
                of, to = self.log_q(how, cells, masks, own, own), self.log_q(how, cells, masks, own, 1 - own)
                out |= {k: (of[k][0, ids[k]] - to[k][0, ids[k]]).item() for k in masks}
        return out

    def contrasts_now(self, how, ids, cells, wanted, own):
        """Contrasts of these places, those of the source where neither the word nor one beside it has changed."""
        changed = [cell != [w] for cell, w in zip(cells, ids)]
        beside = [k for k in wanted if any(changed[max(0, k - 1) : k + 2])]
        source = self.word_contrasts(how, ids, self.start(ids), self.free(ids), own)
        return {k: source[k] for k in wanted} | self.word_contrasts(how, ids, cells, beside, own)

    def fills(self, log_q, from_rank=FILLS):
        """The likeliest ordinary words of a place, likeliest first; their order counts from one of them on."""
        order = sorted(range(SPECIAL, VOCAB), key=lambda w: -log_q[w].item())
        for a, b in zip(order[from_rank - 1 : FILLS], order[from_rank:]):
            apart("order of fills", log_q[a].item(), log_q[b].item(), MARGIN / 10)
        return order[:FILLS]

    def contrast(self, how, w, to, of):
        return to[w].item() + how.gamma * (to[w].item() - of[w].item())

    def choose(self, how, seen, k, own, to, of):
        """The word of place k; seen are the words that are known, and masks."""
        fills = self.fills(to)
        if how.no_punctuation:
            self.happened["likeliest is punctuation"] += fills[0] in PUNCTUATION
            fills = [w for w in fills if w not in PUNCTUATION]
        bound = to[fills[0]].item() + math.log(how.plausible)
        beside = {seen[i] for i in (k - 1, k + 1) if 0 <= i < len(seen)}
        others = [w for w in fills if not (how.no_repeats and w in beside)]
        open_to = [w for w in others if at_least("plausible", to[w].item(), bound)]
        if not open_to:
            apart("the likeliest", to[others[0]].item(), to[others[1]].item())
            return others[0]

        def score(w):
            x = self.contrast(how, w, to, of)
            if how.price:
                x -= how.price * self.shares[1 - own, w].item()
            if how.fluency:
                x += how.fluency * self.trigrams.log_p([*seen[:k], w, *seen[k + 1 :]])
            return x

        open_to.sort()  # of equals the smallest id
        return open_to[largest("score", [score(w) for w in open_to])]

    def fit(self, ids):
        """How much better words go together than words drawn one by one, a word."""
        alone = sum(math.log(self.trigrams.p(w, ())) for w in ids)
        return (self.trigrams.log_p(ids) - alone) / (len(ids) + 1)

    def length(self, how, cells, still, k, own_style, to, of):
        """The number of words of place k, by how likely its slots are to be empty."""
        if not how.slots or how.revise and not how.revising:
            return 1
        fits = how.fluency and how.length_fit and len(still) == 1  # all other words are known
        scores = []
        for n in range(how.slots + 1):
            score = 0.0
            for i in range(how.slots):
                empty, own = (q[i, EOS].item() for q in (to, of))
                if i < n:
                    empty, own = (math.log(-math.expm1(min(log_p, -.01))) for log_p in (empty, own))
                    score += how.length
                score += empty
                if how.gamma:
                    score += how.length_gamma * (empty - own)
            if fits:
                score += how.length_fit * self.fit(flat(cells, k, self.choose_words(how, cells, still, k, n, own_style, to, of)))
            scores.append(score)
        seen = [[MASK] if i in still else cell for i, cell in enumerate(cells)]
        others, at = flat(seen, k), before(seen, k)
        beside = how.no_repeats and 0 < at < len(others) and others[at - 1] == others[at] != MASK
        if others and not beside:
            return largest("length", scores)
        if largest("length", scores) == 0:
            self.happened["beside itself" if beside else "last word"] += 1
        return 1 + largest("length", scores[1:])

    def choose_all(self, how, cells, still, k, own, to, of):
        """The words of place k, and log q of all that was chosen at its slots."""
        n = self.length(how, cells, still, k, own, to, of)
        words = self.choose_words(how, cells, still, k, n, own, to, of)
        slots = n if how.revise and not how.revising else len(to)  # it is one word for now: of others nothing is asked
        return words, [to[i, w].item() for i, w in enumerate(words + [EOS] * (slots - n))]

    def choose_words(self, how, cells, still, k, n, own, to, of):
        """The n words of place k."""
        seen = flat([[MASK] if i in still else cell for i, cell in enumerate(cells)], k, [MASK] * n)
        at = before([[MASK] if i in still else cell for i, cell in enumerate(cells)], k)
        words = []
        for i in range(n):
            words.append(self.choose(how, seen, at + i, own, to[i], of[i]))
            seen[at + i] = words[-1]
        return words

    def fill(self, how, ids, masks, own):
        """The words in each place and, of those that were chosen, log q."""
        cells, chosen, still = self.start(ids), {}, sorted(masks)
        while still:
            to, of = self.log_q(how, cells, still, own, 1 - own), self.log_q(how, cells, still, own, own)
            if how.order == "at_once":
                for k in list(still):
                    cells[k], chosen[k] = self.choose_all(how, cells, still, k, own, to[k], of[k])
                    still.remove(k)
                break
            best = [self.choose_all(how, cells, still, k, own, to[k], of[k]) for k in still]
            at = largest("surest", [sum(q) for _, q in best])
            k = still.pop(at)
            cells[k], chosen[k] = best[at]
        return cells, chosen

    def transfer(self, how, ids, first, own):
        """Words by place, origins, log q of what was chosen, the guide's probability, and that beside restored words."""
        first = first - set(self.negated)
        masks = self.unmask(first, self.evidence(how, self.start(ids), own), how.evidence, "evidence") if how.evidence else first
        masks = self.mask_by_contrast(how, ids, first, masks, own) if how.contrast or how.mask_contrast else masks
        return self.write(how, ids, first, masks, own)

    def transfer_all(self, how, ids, masks, styles):
        return [self.transfer(how, s, {k for k, m in enumerate(on) if m}, own) for s, on, own in zip(ids, masks, styles)]

    def unmask(self, first, of, least, what):
        """Those of the masks that stay: words of so much, or the one of the most where none has enough."""
        masks = {k for k in first if at_least(what, of[k], least)}
        if first and not masks:
            places = sorted(first)
            masks = {places[largest("most " + what, [of[k] for k in places])]}
            self.happened["least"] += len(first) > 1
        self.happened["unmasked"] += masks != first
        return masks

    def mask_by_contrast(self, how, ids, first, masks, own):
        """The masks that stay, and others on words that attention did not mask."""
        cells = self.start(ids)
        of = self.contrasts_now(how, ids, cells, self.free(ids), own)
        if how.contrast:
            masks = self.unmask(masks, of, how.contrast, "contrast")
        if not how.mask_contrast:
            return masks
        return masks | self.telling(how, ids, cells, masks, {k: x for k, x in of.items() if k not in first}, own, "in the source")

    def telling(self, how, ids, cells, masks, contrasts, own, what):
        """Words to be masked too: those of the largest contrasts, if they have enough, and evidence, up to half of the sentence."""
        of = {k: x for k, x in contrasts.items() if at_least("mask_contrast", x, how.mask_contrast)}
        if of and how.evidence:
            evidence = self.evidence(how, cells, own)
            without = [k for k in of if not at_least("evidence of contrast", evidence[k], how.evidence)]
            self.happened["no evidence"] += len(without)
            of = {k: x for k, x in of.items() if k not in without}
        order, room = sorted(of, key=lambda k: -of[k]), max(0, len(ids) // 2 - len(masks))
        if 0 < room < len(order):
            apart("less contrast", of[order[room - 1]], of[order[room]])
            self.happened["half of contrast"] += 1
        self.happened[what] += len(order[:room])
        return set(order[:room])

    def write(self, how, ids, first, masks, own):
        """What transfer returns, of a sentence with these masks; first are those of attention."""
        masks, *written = self.write_once(how, ids, first, masks, own)
        if how.mask_contrast and 2 * (len(masks) + 1) <= len(ids):
            cells = written[0]
            of = self.contrasts_now(how, ids, cells, self.free(ids, masks), own)
            more = self.telling(how, ids, cells, masks, of, own, "beside new words")
            if more:
                masks, *written = self.write_once(how, ids, first, masks | more, own)
        return tuple(written)

    def write_once(self, how, ids, first, masks, own):
        """The masks at the end too, and no second look at contrasts."""
        cells, chosen = self.fill(how, ids, masks, own)
        if not how.guided:
            return masks, cells, [self.origin(ids, first, masks, k) for k in range(len(ids))], chosen, 0.0, {}
        sure = self.sure(how, flat(cells), 1 - own)
        for _ in range(how.more_masks):
            if at_least_p("doubt", sure, how.doubt) or 2 * (len(masks) + 1) > len(ids):
                break
            free = self.free(ids, masks)
            if not free:
                break
            without = [math.log(self.sure(how, flat(cells, k, [UNK]), 1 - own)) for k in free]
            more = masks | {free[largest("without", without)]}
            anew, of_anew = self.fill(how, ids, more, own)
            surer = self.sure(how, flat(anew), 1 - own)
            if flat(anew) == flat(cells) or at_least_p("surer", sure, surer):
                break
            masks, cells, chosen, sure = more, anew, of_anew, surer
        origins, beside = [self.origin(ids, first, masks, k) for k in range(len(ids))], {}
        sure = self.restore(how, ids, own, masks, cells, origins, chosen, beside, sure)
        if how.revise:
            sure = self.revise(how, own, masks, cells, origins, chosen, sure)
            sure = self.restore(how, ids, own, masks, cells, origins, chosen, beside, sure)
        return masks, cells, origins, chosen, sure, beside

    def restore(self, how, ids, own, masks, cells, origins, chosen, beside, sure):
        """Returns source words to their places, and notes the guide's p beside them; how sure it is then."""
        of = {}
        if how.restore and how.restore_contrast:
            of = self.word_contrasts(how, ids, cells, [k for k in sorted(masks) if cells[k] != [ids[k]]], own)
        while how.restore:
            changed = [k for k in sorted(masks) if cells[k] != [ids[k]] and not (how.no_repeats and repeats(ids, cells, k))]
            if not changed:
                break
            after = [flat(cells, k, [ids[k]]) for k in changed]
            back = [self.sure(how, w, 1 - own) for w in after]
            bound = min(how.restore, sure)
            may = [i for i, p in enumerate(back) if at_least_p("restore", p, bound)]
            telling = [i for i in may if of and not at_least("restore_contrast", how.restore_contrast, of[changed[i]])]
            self.happened["may not return"] += len(telling)
            may = [i for i in may if i not in telling]
            if not may:
                break
            worth = [self.trigrams.log_p(after[i]) if how.fluency else math.log(back[i]) for i in may]
            at = may[largest("restore", worth)]
            k = changed[at]
            self.happened["deleted word returns"] += not cells[k]
            cells[k], origins[k], beside[k], sure = [ids[k]], 1, back[at], back[at]
            chosen.pop(k, None)
        return sure

    def revise(self, how, own, masks, cells, origins, chosen, sure):
        """Chooses what stands in every place once more, all others known; how sure the guide is then."""
        for k in sorted(masks):
            if origins[k] == 1:
                continue
            to, of = self.log_q(how, cells, [k], own, 1 - own), self.log_q(how, cells, [k], own, own)
            cell, log_q = self.choose_all(replace(how, gamma=how.revise_gamma, revising=True), cells, [k], k, own, to[k], of[k])
            if flat(cells, k, cell) == flat(cells):
                continue
            after = self.sure(how, flat(cells, k, cell), 1 - own)
            bound = min(how.restore or 1, sure)
            if at_least_p("revise", after, bound):
                self.happened["another number"] += len(cell) != len(cells[k])
                cells[k], chosen[k], sure = cell, log_q, after
        return sure


def by_word(written):
    """Ids, places, origins, log q and p beside, of each word of an output and of each place where nothing stands."""
    cells, origins, chosen, _, beside = written
    out = []
    for k, cell in enumerate(cells):
        for i, w in enumerate(cell):
            out.append((w, k, 4 if i else origins[k], chosen[k][i] if k in chosen else 0.0, beside.get(k, 0.0)))
        if not cell:
            out.append((EOS, k, 5, sum(chosen.get(k, [])), 0.0))
    return out


def put_outputs(record, name, outputs):
    """Records the outputs of a run."""
    ids, places, origins, chosen, back = zip(*(zip(*by_word(o)) for o in outputs))
    record.put("expect.words." + name, rows([flat(o[0]) for o in outputs]))
    record.put("expect.origins." + name, rows(origins))
    record.put("expect.chosen." + name, rows(chosen, torch.float32))
    record.put("expect.sure." + name, torch.tensor([o[3] for o in outputs]))
    record.put("expect.back." + name, rows(back, torch.float32))
    return places


def put_judge(guide, ids):
    """The record of a guide, and what it says of sentences."""
    judge = Record(ids=rows(ids))
    judge.weights("", guide)
    judge.put("expect.log_p", F.log_softmax(torch.cat([guide(torch.tensor([s])) for s in ids]), dim=1))
    return judge


def draw(count, shortest, longest, share):
    """Sentences of Zipf's words, which differ by style, masks and styles."""
    ids, masks = [], []
    for i in range(count):
        n = int(torch.randint(shortest, longest + 1, ()))
        zipf = 1 / torch.arange(1, VOCAB - SPECIAL + 1).float()
        words = torch.multinomial(zipf if i % 2 else zipf.roll(7), n, replacement=True) + SPECIAL
        ids.append(words.tolist())
        masks.append((torch.rand(n) < share).tolist())
    return ids, masks, [i % 2 for i in range(count)]


def rows(lists, dtype=torch.int64):
    """A matrix of lists, 0 behind their ends."""
    out = torch.zeros(len(lists), max(map(len, lists)), dtype=dtype)
    for i, row in enumerate(lists):
        out[i, : len(row)] = torch.tensor(row, dtype=dtype)
    return out


@torch.no_grad()
def make(seed):
    model = build(lambda: SMLM(vocab=VOCAB), seed, spread=0.4)
    guide = build(lambda: WordCNN(VOCAB), seed + 1, spread=0.45)
    torch.manual_seed(seed + 2)
    ids, masks, styles = draw(12, 3, 9, 0.35)
    masks[0] = [False] * len(ids[0])
    ids[1][0], masks[1][0] = UNK, False
    text, text_masks, text_styles = draw(120, 3, 9, 0.3)
    shares = log_shares(text, text_masks, text_styles)
    refiller = Guided(model, guide, Trigrams(text), shares)

    record = Record(ids=rows(ids), mask=rows(masks), styles=torch.tensor(styles), text=rows(text), text_mask=rows(text_masks),
                    text_styles=torch.tensor(text_styles))
    record.weights("", model)
    record.put("expect.log_share", shares.float())
    record.put("expect.fluency", torch.tensor([refiller.trigrams.log_p(s) for s in ids]))
    fills, log_q, scores = [], [], defaultdict(list)
    for s, on, own in zip(ids, masks, styles):
        first = [k for k, m in enumerate(on) if m]
        cells = [[w] for w in s]
        to, of = refiller.log_q(How(), cells, first, own, 1 - own), refiller.log_q(How(), cells, first, own, own)
        for k in first:
            words = refiller.fills(to[k][0], 1)
            fills.append(words)
            log_q.append([to[k][0, w].item() for w in words])
            for name in ("gamma_0", "gamma_0.5", "gamma_2"):
                score = [refiller.contrast(RUNS[name], w, to[k][0], of[k][0]) for w in words]
                scores[name].append([x - score[0] for x in score])
    record.put("expect.fills", torch.tensor(fills))
    record.put("expect.log_q", torch.tensor(log_q))
    for name, score in scores.items():
        record.put("expect.score." + name, torch.tensor(score))
    outputs, happened = {}, {}
    for name, how in RUNS.items():
        refiller.happened = happened[name] = Counter()
        outputs[name] = out = refiller.transfer_all(how, ids, masks, styles)
        put_outputs(record, name, out)
        without = replace(how, no_punctuation=False)
        if without != how and [flat(o[0]) for o in out] == [flat(o[0]) for o in refiller.transfer_all(without, ids, masks, styles)]:
            raise NearTie(f"{name} is the same without no_punctuation")
    happens(outputs, happened)

    return record, put_judge(guide, ids), refiller, (ids, masks, styles)


@torch.no_grad()
def make_slots(seed, refiller, sentences):
    """Records SLOT_RUNS, with all of another refiller but its encoder."""
    ids, masks, styles = sentences
    shortest = min(range(len(ids)), key=lambda i: len(ids[i]))
    masks = [[True] * len(on) if i == shortest else on for i, on in enumerate(masks)]  # one of which all may go
    refiller.model = build(lambda: SMLM(vocab=VOCAB), seed, spread=0.4)
    refiller.half_empty(ids, masks, styles)
    record, outputs, happened = Record(mask=rows(masks)), {}, {}
    record.weights("", refiller.model)
    for name, how in SLOT_RUNS.items():
        refiller.happened = happened[name] = Counter()
        outputs[name] = out = refiller.transfer_all(how, ids, masks, styles)
        places = put_outputs(record, name, out)
        record.put("expect.places." + name, rows(places))
        record.put("expect.log_q." + name, torch.tensor([sum(map(sum, chosen.values())) for _, _, chosen, _, _ in out]))
    happens_with_slots(outputs, happened)
    return record


def happens_with_slots(outputs, happened):
    """Refuses weights with which a part of slots decides nothing."""
    words = {name: [flat(o[0]) for o in out] for name, out in outputs.items()}
    for a, b in [("plain", "longer"), ("plain", "shorter"), ("plain", "gamma"), ("gamma", "length_gamma"),
                 ("length_gamma", "confident"), ("length_gamma", "revise"), ("confident", "revise_shorter")]:
        if words[a] == words[b]:
            raise NearTie(f"{a} and {b} are the same")
    seen = Counter(origin for o in outputs["whole"] for _, _, origin, *_ in by_word(o))
    if min(seen[i] for i in range(6)) < 1:
        raise NearTie(f"hardly any of some origin: {seen}")
    for name, part in [("shorter", "last word"), ("no_repeats", "beside itself"), ("revise", "another number"),
                       ("whole", "another number")]:
        if not happened[name][part]:
            raise NearTie(f"{name}: {part} never happens: {happened[name]}")


def happens(outputs, happened):
    """Refuses weights with which a part of the method decides nothing."""
    words = {name: [flat(cells) for cells, *_ in out] for name, out in outputs.items()}
    for a, b in [("gamma_0", "gamma_0.5"), ("gamma_0.5", "gamma_2"), ("gamma_2", "all_fills"), ("gamma_2", "confident"),
                 ("gamma_2", "restore"), ("gamma_0.5", "more_masks"), ("price", "fluency"), ("gamma_0.5", "price"),
                 ("gamma_0.5", "no_repeats"), ("unrevised", "two_classes"), ("revise", "revise_gamma"), ("gamma_2", "revise"),
                 ("gamma_2", "evidence")]:
        if words[a] == words[b]:
            raise NearTie(f"{a} and {b} are the same")
    seen = Counter(o for _, origins, *_ in outputs["two_classes"] for o in origins)
    if min(seen[i] for i in range(4)) < 3:
        raise NearTie(f"hardly any of some origin: {seen}")
    for name, parts in {"evidence": ["unmasked", "least"], "no_punctuation": ["likeliest is punctuation"]}.items():
        for part in parts:
            if not happened[name][part]:
                raise NearTie(f"{name}: {part} never happens: {happened[name]}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    smlm, cnn, refiller, drawn = make(SEED)
    smlm.save("guided")
    cnn.save("guided_cnn")
    make_slots(SEED_SLOTS, refiller, drawn).save("guided_slots")
