package metrics

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How far apart two texts must be to be called differently written. Published outputs of systems
// that rewrite words are far below, and so are human references but for their punctuation.
const (
	leastEvidence   = 10   // occurrences a side, so that a few sentences prove nothing
	fewApostrophes  = 3    // enough where each side has one sign alone: who copies a word copies its sign
	punctuationGap  = 0.5  // difference of the shares of punctuation that is attached
	contractionGap  = 0.75 // share of contractions that are written in another way
	apostropheGap   = 0.75 // share of apostrophes that are another sign
	mostlyUpperCase = 2. / 3
	hardlyUpperCase = 0.01
)

// TokenisationWarning returns a sentence of warning where the outputs look tokenised or cased
// differently from the sources, and "" where they do not. It compares five habits of writing:
// whether punctuation is attached to words ("good.") or apart ("good ."), how contractions are
// written ("don't", "do n't", "don ' t", "don t"), whether most sentences have upper case in one
// and hardly any in the other, whether numbers are digits in one and placeholders ("_num_") in the
// other, and whether apostrophes are straight or curly. Words compare as they are, so such outputs
// lose in every metric of content.
//
// It is silent unless the difference is plain on both sides: human references, half of which begin
// in upper case, beside lower-case sources are no reason.
func TokenisationWarning(sources, outputs [][]string) string {
	s, o := writingHabitsOf(sources), writingHabitsOf(outputs)
	var found []string
	if min(s.punctuation.of(), o.punctuation.of()) >= leastEvidence {
		if gap := s.punctuation.share(attached) - o.punctuation.share(attached); gap >= punctuationGap {
			found = append(found, fmt.Sprintf("punctuation is attached to words in the sources (%q) but "+
				"separate in the outputs (%q)", s.punctuation.example[attached], o.punctuation.example[apart]))
		} else if -gap >= punctuationGap {
			found = append(found, fmt.Sprintf("punctuation is separate from words in the sources (%q) but "+
				"attached in the outputs (%q)", s.punctuation.example[apart], o.punctuation.example[attached]))
		}
	}
	if min(s.contractions.of(), o.contractions.of()) >= leastEvidence &&
		s.contractions.distance(&o.contractions) >= contractionGap {
		found = append(found, fmt.Sprintf("contractions are written as %q in the sources but as %q in the outputs",
			s.contractions.usual(), o.contractions.usual()))
	}
	switch a, b := s.upperCase(), o.upperCase(); {
	case min(s.sentences, o.sentences) < leastEvidence:
	case a >= mostlyUpperCase && b <= hardlyUpperCase:
		found = append(found, "the sources have upper case but the outputs have none")
	case b >= mostlyUpperCase && a <= hardlyUpperCase:
		found = append(found, "the outputs have upper case but the sources have none")
	}
	if min(s.numbers.of(), o.numbers.of()) >= leastEvidence && s.numbers.distance(&o.numbers) == 1 {
		found = append(found, fmt.Sprintf("numbers are written as %q in the sources but as %q in the outputs",
			s.numbers.usual(), o.numbers.usual()))
	}
	few, other := min(s.apostrophes.of(), o.apostrophes.of()), s.apostrophes.distance(&o.apostrophes)
	if few >= leastEvidence && other >= apostropheGap || few >= fewApostrophes && other == 1 {
		found = append(found, fmt.Sprintf("apostrophes are written as in %q in the sources but as in %q in "+
			"the outputs",
			s.apostrophes.usual(), o.apostrophes.usual()))
	}
	if len(found) == 0 {
		return ""
	}
	return "the outputs seem to be tokenised differently from the sources: " + strings.Join(found, "; ") +
		"; equal words then count as different, so write both in the same way"
}

// How far apart the training texts of two styles must be to be called differently written. Half of
// the occurrences in another way tell many sentences apart by that alone; of published styles, with
// words of their own and sentences of any end, none but one is near.
const (
	styleGap   = 0.5
	endingsGap = 0.75 // whole sentences without a sign at their end are a style of some people
	mostLooked = 20_000
)

// StyleWarning returns a sentence of warning where two styles can be told apart by how their
// training texts are written, and "" where they cannot: models then learn the writing, and a
// classifier that measures style measures it. Beside the habits of TokenisationWarning it compares
// how not is contracted, which quotation marks there are, and whether sentences end with a sign.
func StyleWarning(labels []string, texts [][][]string) string {
	habits := make([]*writingHabits, len(texts))
	for style, text := range texts {
		step := max(1, (len(text)+mostLooked-1)/mostLooked)
		var looked [][]string
		for i := 0; i < len(text); i += step {
			looked = append(looked, text[i])
		}
		habits[style] = writingHabitsOf(looked)
	}
	var found []string
	for _, differ := range []func(a, b *writingHabits) (in string, gap float64){
		func(a, b *writingHabits) (string, float64) {
			if in, gap := differently("contractions", &a.negations, &b.negations); gap > 0 {
				return in, gap
			}
			return differently("contractions", &a.contractions, &b.contractions)
		},
		func(a, b *writingHabits) (string, float64) {
			return differently("quotation marks", &a.quotes, &b.quotes)
		},
		func(a, b *writingHabits) (string, float64) {
			return differently("signs", &a.punctuation, &b.punctuation)
		},
		func(a, b *writingHabits) (string, float64) { return differently("numbers", &a.numbers, &b.numbers) },
		func(a, b *writingHabits) (string, float64) {
			return differently("apostrophes", &a.apostrophes, &b.apostrophes)
		},
		endsDiffer,
		casesDiffer,
	} {
		in, most := "", 0.0
		for i, a := range habits {
			for k, b := range habits[i+1:] {
				if words, gap := differ(a, b); gap > most {
					in, most = fmt.Sprintf(words, labels[i], labels[i+1+k]), gap
				}
			}
		}
		if most > 0 {
			found = append(found, in)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return "the styles can be told apart by spelling, case and punctuation alone: " + strings.Join(found, "; ") +
		"; models learn this and TST% measures it, so write all texts in the same way before you import them"
}

// differently says how a habit differs, with places for the labels of both styles, and how far; the
// gap is 0 where it does not.
func differently(what string, a, b *ways) (in string, gap float64) {
	if min(a.of(), b.of()) < leastEvidence {
		return "", 0
	}
	if gap = a.distance(b); gap < styleGap {
		return "", 0
	}
	// Where the most frequent way is the same in both, others make the difference.
	ofA, ofB := a.more(b), b.more(a)
	return fmt.Sprintf("%s are written as in %q in %%s (%.0f %%%%) but as in %q in %%s (%.0f %%%%)", what,
		escaped(a.example[ofA]), 100*a.share(ofA), escaped(b.example[ofB]), 100*b.share(ofB)), gap
}

// escaped is an example within a format.
func escaped(example string) string { return strings.ReplaceAll(example, "%", "%%") }

// more is the way that has the most over that of another text.
func (w *ways) more(other *ways) (way int) {
	for i := range w.count {
		if w.share(i)-other.share(i) > w.share(way)-other.share(way) {
			way = i
		}
	}
	return way
}

// endsDiffer says, as differently does, where sentences of one style alone end with a sign.
func endsDiffer(a, b *writingHabits) (in string, gap float64) {
	of := func(h *writingHabits) float64 { return float64(h.ended) / float64(max(1, h.sentences)) }
	gap = max(of(a)-of(b), of(b)-of(a))
	if min(a.sentences, b.sentences) < leastEvidence || gap < endingsGap {
		return "", 0
	}
	return fmt.Sprintf("sentences end with a punctuation mark in %%s (%.0f %%%%) and in %%s (%.0f %%%%)", 100*of(a), 100*of(b)), gap
}

// casesDiffer says, as differently does, where one style alone has upper case.
func casesDiffer(a, b *writingHabits) (in string, gap float64) {
	x, y := a.upperCase(), b.upperCase()
	if min(a.sentences, b.sentences) < leastEvidence || max(x, y) < mostlyUpperCase || min(x, y) > hardlyUpperCase {
		return "", 0
	}
	return fmt.Sprintf("sentences have upper case in %%s (%.0f %%%%) and in %%s (%.0f %%%%)", 100*x, 100*y), max(x-y, y-x)
}

// Ways of writing, by habit.
const (
	attached = iota // punctuation: "good."
	apart           // "good ."

	glued    = 0 // contractions: "don't"
	detached = 1 // "do n't"
	lone     = 2 // "don ' t"
	dropped  = 3 // "don t"
	torn     = 4 // "don 't", of negations alone

	digits      = 0 // numbers: "12"
	placeholder = 1 // "_num_"

	straight = 0 // apostrophes: "it's"
	curly    = 1 // "it’s"

	typewritten = 0 // quotation marks: "
	doubled     = 1 // `` and ''
	printed     = 2 // “ and ”
)

// ways counts in which of up to five ways something is written, and keeps the first example of
// each.
type ways struct {
	count   [5]int
	example [5]string
}

func (w *ways) add(way int, example string) {
	if w.count[way] == 0 {
		w.example[way] = example
	}
	w.count[way]++
}

// of is the number of occurrences.
func (w *ways) of() (n int) {
	for _, count := range w.count {
		n += count
	}
	return n
}

func (w *ways) share(way int) float64 { return float64(w.count[way]) / float64(w.of()) }

// usual is an example of the most frequent way.
func (w *ways) usual() string {
	return w.example[slices.Index(w.count[:], slices.Max(w.count[:]))]
}

// distance is the share of occurrences that would have to be written in another way, 0-1.
func (w *ways) distance(other *ways) float64 {
	sum := 0.0
	for way := range w.count {
		sum += max(0, w.share(way)-other.share(way))
	}
	return sum
}

// writingHabits are how a text is written.
type writingHabits struct {
	punctuation, contractions, numbers, apostrophes ways
	negations, quotes                               ways // of styles alone
	// sentences with letters, those with an upper-case one, and those that end with a sign
	sentences, withUpper, ended int
}

func (h *writingHabits) upperCase() float64 {
	return float64(h.withUpper) / float64(max(1, h.sentences))
}

func writingHabitsOf(sentences [][]string) *writingHabits {
	h := &writingHabits{}
	for _, words := range sentences {
		letters, upper := false, false
		before, last := "", "" // the words before
		for _, w := range words {
			letters = letters || strings.ContainsFunc(w, unicode.IsLetter)
			upper = upper || strings.ContainsFunc(w, unicode.IsUpper)
			h.mark(last, w)
			h.contraction(before, last, strings.ReplaceAll(strings.ToLower(w), "’", "'"))
			h.number(w)
			h.quote(w)
			if strings.Contains(w, "’") {
				h.apostrophes.add(curly, w)
			} else if strings.Contains(w, "'") {
				h.apostrophes.add(straight, w)
			}
			before, last = last, strings.ReplaceAll(w, "’", "'")
		}
		if letters {
			h.sentences++
			r, _ := utf8.DecodeLastRuneInString(last)
			if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '>' { // of a word or placeholder
				h.ended++
			}
		}
		if upper {
			h.withUpper++
		}
	}
	return h
}

const marks = ".,!?;:"

// abbreviations end with a dot of their own.
var abbreviations = []string{"mr", "mrs", "ms", "dr", "st", "jr", "sr", "vs", "etc", "no", "inc"}

// mark counts punctuation after a word.
func (h *writingHabits) mark(last, w string) {
	stem := strings.TrimRight(w, marks)
	switch {
	case stem == w:
	case stem == "" && last != "":
		h.punctuation.add(apart, last+" "+w)
	case !strings.ContainsFunc(stem, unicode.IsLetter) || len(stem) < 2 || strings.Contains(stem, ".") ||
		slices.Contains(abbreviations, strings.ToLower(stem)):
	default:
		h.punctuation.add(attached, w)
	}
}

// ends are what follows the apostrophe of an English contraction.
var ends = []string{"s", "t", "m", "d", "re", "ve", "ll"}

// contraction counts a contraction that ends with the lower-cased word w.
func (h *writingHabits) contraction(before, last, w string) {
	head, end, apostrophe := strings.Cut(w, "'")
	end = strings.TrimRight(end, marks)
	if end == "t" || w == "t" {
		h.negation(before, last, w)
	}
	switch {
	case apostrophe && !slices.Contains(ends, end):
	case apostrophe && (head == "" || w == "n't") && last != "":
		h.contractions.add(detached, last+" "+w)
	case apostrophe && head != "":
		h.contractions.add(glued, w)
	case !slices.Contains(ends, w):
	case last == "'" && before != "":
		h.contractions.add(lone, before+" ' "+w)
	case isWord(last):
		h.contractions.add(dropped, last+" "+w)
	}
}

// negated are what n't follows; "ca" is of "can't".
var negated = []string{
	"ai", "are", "ca", "could", "did", "do", "does", "had", "has", "have", "is", "might", "must", "need", "should", "was",
	"were", "wo", "would",
}

// negation counts a contraction of not that ends with the lower-cased word w.
func (h *writingHabits) negation(before, last, w string) {
	isNegated := func(word string) bool {
		stem, n := strings.CutSuffix(strings.ToLower(word), "n")
		return n && slices.Contains(negated, stem)
	}
	w = strings.TrimRight(w, marks)
	head, _, apostrophe := strings.Cut(w, "'")
	switch {
	case w == "n't" && slices.Contains(negated, strings.ToLower(last)):
		h.negations.add(detached, last+" "+w)
	case w == "'t" && isNegated(last):
		h.negations.add(torn, last+" "+w)
	case apostrophe && isNegated(head):
		h.negations.add(glued, w)
	case w == "t" && last == "'" && isNegated(before):
		h.negations.add(lone, before+" ' "+w)
	case w == "t" && isNegated(last):
		h.negations.add(dropped, last+" "+w)
	}
}

// quote counts a quotation mark, which may be part of a word.
func (h *writingHabits) quote(w string) {
	switch {
	case strings.Contains(w, `"`):
		h.quotes.add(typewritten, w)
	case strings.HasPrefix(w, "``") || strings.HasSuffix(w, "''"):
		h.quotes.add(doubled, w)
	case strings.ContainsAny(w, "“”"):
		h.quotes.add(printed, w)
	}
}

func isWord(w string) bool {
	return w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
}

// number counts a number.
func (h *writingHabits) number(w string) {
	bare := strings.Trim(strings.ToLower(w), "_<>[](){}$#@")
	switch {
	case bare != strings.ToLower(w) && (bare == "num" || bare == "number" || bare == "digit" ||
		bare == "digits"), strings.HasPrefix(bare, "num_"):
		h.numbers.add(placeholder, w)
	case strings.ContainsFunc(w, unicode.IsDigit):
		h.numbers.add(digits, w)
	}
}
