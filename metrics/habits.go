package metrics

import (
	"slices"
	"strings"
	"unicode"
)

// Ways of writing, by habit.
const (
	attached = iota // punctuation: "good."
	apart           // "good ."

	glued    = 0 // contractions: "don't"
	detached = 1 // "do n't"
	lone     = 2 // "don ' t"
	dropped  = 3 // "don t"

	digits      = 0 // numbers: "12"
	placeholder = 1 // "_num_"
)

// ways counts in which of up to four ways something is written, and keeps the first example of
// each.
type ways struct {
	count   [4]int
	example [4]string
}

func (w *ways) add(way int, example string) {
	if w.count[way] == 0 {
		w.example[way] = example
	}
	w.count[way]++
}

// of is the number of occurrences.
func (w *ways) of() int { return w.count[0] + w.count[1] + w.count[2] + w.count[3] }

func (w *ways) share(way int) float64 { return float64(w.count[way]) / float64(w.of()) }

// usual is an example of the commonest way.
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

// habits are how a text is written.
type habits struct {
	punctuation, contractions, numbers ways
	sentences, withUpper               int // sentences with letters, and those with an upper-case one
}

func (h *habits) upperCase() float64 { return float64(h.withUpper) / float64(max(1, h.sentences)) }

func habitsOf(sentences [][]string) *habits {
	h := &habits{}
	for _, words := range sentences {
		letters, upper := false, false
		before, last := "", "" // the words before
		for _, w := range words {
			letters = letters || strings.ContainsFunc(w, unicode.IsLetter)
			upper = upper || strings.ContainsFunc(w, unicode.IsUpper)
			h.mark(last, w)
			h.contraction(before, last, strings.ReplaceAll(strings.ToLower(w), "’", "'"))
			h.number(w)
			before, last = last, strings.ReplaceAll(w, "’", "'")
		}
		if letters {
			h.sentences++
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
func (h *habits) mark(last, w string) {
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
func (h *habits) contraction(before, last, w string) {
	head, end, apostrophe := strings.Cut(w, "'")
	end = strings.TrimRight(end, marks)
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

func isWord(w string) bool {
	return w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
}

// number counts a number.
func (h *habits) number(w string) {
	bare := strings.Trim(strings.ToLower(w), "_<>[](){}$#@")
	switch {
	case bare != strings.ToLower(w) && (bare == "num" || bare == "number" || bare == "digit" ||
		bare == "digits"), strings.HasPrefix(bare, "num_"):
		h.numbers.add(placeholder, w)
	case strings.ContainsFunc(w, unicode.IsDigit):
		h.numbers.add(digits, w)
	}
}
