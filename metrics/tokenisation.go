package metrics

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// These thresholds decide whether two texts are tokenised differently. Published systems that
// rewrite words stay far below the thresholds, and so do human references, except in punctuation.
const (
	minEvidence     = 10   // minimum number of occurrences in each text
	fewApostrophes  = 3    // minimum in each text if one has only straight and the other only curly apostrophes
	punctuationGap  = 0.5  // difference in the share of attached punctuation
	contractionGap  = 0.75 // share of contractions spelled differently
	apostropheGap   = 0.75 // share of apostrophes with a different sign
	mostlyUpperCase = 2. / 3
	hardlyUpperCase = 0.01
)

// TokenisationWarning returns a warning if the texts ("outputs" or "references") look tokenised or
// cased differently from the sources, and otherwise "". TokenisationWarning compares five habits:
// whether punctuation is attached to words ("good.") or separate
// ("good ."), the spelling of contractions ("don't", "do n't", "don ' t", "don t"), whether
// sentences have upper case, whether numbers are digits or placeholders ("_num_"), and whether
// apostrophes are straight or curly. Words are compared as they are, so such differences lower
// every content metric.
//
// There is a warning only if the habit is clear in both texts. For example, there is no warning if
// the sources are in lower case and only half of the human references begin in upper case.
func TokenisationWarning(texts string, sources, outputs [][]string) string {
	s, o := writingHabitsOf(sources), writingHabitsOf(outputs)
	var differences []string
	if min(s.punctuation.total(), o.punctuation.total()) >= minEvidence {
		if gap := s.punctuation.share(attached) - o.punctuation.share(attached); gap >= punctuationGap {
			differences = append(differences, fmt.Sprintf("punctuation is attached to words in the sources (%q) but "+
				"separate in the outputs (%q)", s.punctuation.example[attached], o.punctuation.example[separate]))
		} else if -gap >= punctuationGap {
			differences = append(differences, fmt.Sprintf("punctuation is separate from words in the sources (%q) but "+
				"attached in the outputs (%q)", s.punctuation.example[separate], o.punctuation.example[attached]))
		}
	}
	if min(s.contractions.total(), o.contractions.total()) >= minEvidence &&
		s.contractions.distance(&o.contractions) >= contractionGap {
		differences = append(differences, fmt.Sprintf("contractions are written as %q in the sources but as %q in the outputs",
			s.contractions.usual(), o.contractions.usual()))
	}
	switch a, b := s.upperCase(), o.upperCase(); {
	case min(s.sentences, o.sentences) < minEvidence:
	case a >= mostlyUpperCase && b <= hardlyUpperCase:
		differences = append(differences, "the sources have upper case but the outputs have none")
	case b >= mostlyUpperCase && a <= hardlyUpperCase:
		differences = append(differences, "the outputs have upper case but the sources have none")
	}
	if min(s.numbers.total(), o.numbers.total()) >= minEvidence && s.numbers.distance(&o.numbers) == 1 {
		differences = append(differences, fmt.Sprintf("numbers are written as %q in the sources but as %q in the outputs",
			s.numbers.usual(), o.numbers.usual()))
	}
	few, distance := min(s.apostrophes.total(), o.apostrophes.total()), s.apostrophes.distance(&o.apostrophes)
	if few >= minEvidence && distance >= apostropheGap || few >= fewApostrophes && distance == 1 {
		differences = append(differences, fmt.Sprintf("apostrophes are written as in %q in the sources but as in %q in "+
			"the outputs",
			s.apostrophes.usual(), o.apostrophes.usual()))
	}
	if len(differences) == 0 {
		return ""
	}
	warning := "the outputs seem to be tokenised differently from the sources: " + strings.Join(differences, "; ") +
		"; equal words then count as different, so write both in the same way (`data tokenise --like` cuts texts as a data set is cut)"
	return strings.ReplaceAll(warning, "outputs", texts)
}

// The spellings of each habit.
const (
	attached = iota // punctuation: "good."
	separate        // "good ."

	glued    = 0 // contractions: "don't"
	detached = 1 // "do n't"
	lone     = 2 // "don ' t"
	dropped  = 3 // "don t"

	digits      = 0 // numbers: "12"
	placeholder = 1 // "_num_"

	straight = 0 // apostrophes: "it's"
	curly    = 1 // "it’s"
)

// spellings counts up to four spellings of one habit and keeps the first example of each spelling.
type spellings struct {
	count   [4]int
	example [4]string
}

func (w *spellings) add(way int, example string) {
	if w.count[way] == 0 {
		w.example[way] = example
	}
	w.count[way]++
}

// The method total returns the total number of occurrences.
func (w *spellings) total() (n int) {
	for _, count := range w.count {
		n += count
	}
	return n
}

func (w *spellings) share(way int) float64 { return float64(w.count[way]) / float64(w.total()) }

// The method usual returns the first example of the most frequent spelling.
func (w *spellings) usual() string {
	return w.example[slices.Index(w.count[:], slices.Max(w.count[:]))]
}

// distance compares how often w and other use each spelling. It returns the share of the
// occurrences in w, 0-1, that would have to change so that every spelling has the same share in w
// as in other.
func (w *spellings) distance(other *spellings) float64 {
	sum := 0.0
	for way := range w.count {
		sum += max(0, w.share(way)-other.share(way))
	}
	return sum
}

// writingHabits counts the spellings in a text.
type writingHabits struct {
	punctuation, contractions, numbers, apostrophes spellings
	sentences, withUpper                            int // how many sentences have letters, and how many upper case
}

func (h *writingHabits) upperCase() float64 {
	return float64(h.withUpper) / float64(max(1, h.sentences))
}

func writingHabitsOf(sentences [][]string) *writingHabits {
	h := &writingHabits{}
	for _, words := range sentences {
		letters, upper := false, false
		beforeLast, last := "", "" // the two previous words
		for _, w := range words {
			letters = letters || strings.ContainsFunc(w, unicode.IsLetter)
			upper = upper || strings.ContainsFunc(w, unicode.IsUpper)
			h.mark(last, w)
			h.contraction(beforeLast, last, strings.ReplaceAll(strings.ToLower(w), "’", "'"))
			h.number(w)
			if strings.Contains(w, "’") {
				h.apostrophes.add(curly, w)
			} else if strings.Contains(w, "'") {
				h.apostrophes.add(straight, w)
			}
			beforeLast, last = last, strings.ReplaceAll(w, "’", "'")
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

// abbreviations end with a dot that is not punctuation.
var abbreviations = []string{"mr", "mrs", "ms", "dr", "st", "jr", "sr", "vs", "etc", "no", "inc"}

// mark counts the word w if it ends with punctuation or consists of punctuation. last is the word
// before w.
func (h *writingHabits) mark(last, w string) {
	stem := strings.TrimRight(w, marks)
	switch {
	case stem == w:
	case stem == "" && last != "":
		h.punctuation.add(separate, last+" "+w)
	case !strings.ContainsFunc(stem, unicode.IsLetter) || len(stem) < 2 || strings.Contains(stem, ".") ||
		slices.Contains(abbreviations, strings.ToLower(stem)):
	default:
		h.punctuation.add(attached, w)
	}
}

// contractionEnds follow the apostrophe in English contractions.
var contractionEnds = []string{"s", "t", "m", "d", "re", "ve", "ll"}

// contraction counts a contraction that ends with the lower-cased word w. beforeLast and last are
// the two words before w.
func (h *writingHabits) contraction(beforeLast, last, w string) {
	head, end, apostrophe := strings.Cut(w, "'")
	end = strings.TrimRight(end, marks)
	switch {
	case apostrophe && !slices.Contains(contractionEnds, end):
	case apostrophe && (head == "" || w == "n't") && last != "":
		h.contractions.add(detached, last+" "+w)
	case apostrophe && head != "":
		h.contractions.add(glued, w)
	case !slices.Contains(contractionEnds, w):
	case last == "'" && beforeLast != "":
		h.contractions.add(lone, beforeLast+" ' "+w)
	case isWord(last):
		h.contractions.add(dropped, last+" "+w)
	}
}

func isWord(w string) bool {
	return w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
}

// number counts the word w if it is a number or a placeholder.
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
