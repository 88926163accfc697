package meteor

import (
	"strings"
	"unicode/utf8"
)

// The map irregular has the stems of words for which Porter's rules are not used. NLTK's authors
// collected these words, because the rules conflate them with other words.
var irregular = map[string]string{
	"skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
	"innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing", "cannings": "canning",
	"canning": "canning",
	"howe":    "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

// stem returns the stem of a lower-case word by the algorithm of Porter (1980), "An algorithm for
// suffix stripping", with the changes of NLTK's PorterStemmer in its default mode, each marked
// "NLTK". Characters that are not letters count as consonants.
func stem(word string) string {
	if s, ok := irregular[word]; ok { // NLTK
		return s
	}
	if letters(word) <= 2 { // NLTK, as in Porter's own program
		return word
	}
	word = step1a(word)
	word = step1b(word)
	word = step1c(word)
	word = step2(word)
	word = firstRule(word, step3Rules)
	word = step4(word)
	return step5(word)
}

// step1a removes plurals.
func step1a(w string) string {
	if strings.HasSuffix(w, "ies") && letters(w) == 4 { // NLTK: "dies" becomes "die", not "di"
		return strings.TrimSuffix(w, "s")
	}
	return firstRule(w, step1aRules)
}

// step1b removes -ed and -ing and repairs the rest.
func step1b(w string) string {
	if s, ok := strings.CutSuffix(w, "ied"); ok { // NLTK: "died" becomes "die", "spied" becomes "spi"
		if letters(w) == 4 {
			return s + "ie"
		}
		return s + "i"
	}
	if s, ok := strings.CutSuffix(w, "eed"); ok {
		if measure(s) > 0 {
			return s + "ee"
		}
		return w
	}
	s, ok := strings.CutSuffix(w, "ed")
	if !ok {
		s, ok = strings.CutSuffix(w, "ing")
	}
	if !ok || !hasVowel(s) {
		return w
	}
	for _, end := range []string{"at", "bl", "iz"} {
		if strings.HasSuffix(s, end) {
			return s + "e"
		}
	}
	if end, double := doubleConsonant(s); double {
		if strings.ContainsRune("lsz", end) {
			return s
		}
		return strings.TrimSuffix(s, string(end))
	}
	if measure(s) == 1 && endsCVC(s) {
		return s + "e"
	}
	return s
}

// step1c turns -y into -i.
func step1c(w string) string {
	s, ok := strings.CutSuffix(w, "y")
	if !ok || letters(s) <= 1 { // NLTK: two letters must precede -y, so "fly" becomes "fli", but "by" does not change
		return w
	}
	if c := consonants(s); c[len(c)-1] { // NLTK: -y must follow a consonant, so "enjoy" does not change
		return s + "i"
	}
	return w
}

func step2(w string) string {
	if s, ok := strings.CutSuffix(w, "alli"); ok && measure(s) > 0 { // NLTK: replaces -alli, then repeats step2
		return step2(s + "al")
	}
	if s, ok := strings.CutSuffix(w, "logi"); ok { // NLTK: measure includes the l: "geologi" becomes "geolog"
		if measure(s+"l") > 0 {
			return s + "log"
		}
		return w
	}
	return firstRule(w, step2Rules)
}

func step4(w string) string {
	if s, ok := strings.CutSuffix(w, "ion"); ok {
		if measure(s) > 1 && (strings.HasSuffix(s, "s") || strings.HasSuffix(s, "t")) {
			return s
		}
		return w
	}
	return firstRule(w, step4Rules)
}

// step5 removes a final -e and shortens -ll to -l.
func step5(w string) string {
	if s, ok := strings.CutSuffix(w, "e"); ok {
		if m := measure(s); m > 1 || m == 1 && !endsCVC(s) {
			w = s
		}
	}
	if s, ok := strings.CutSuffix(w, "l"); ok && strings.HasSuffix(s, "l") && measure(s) > 1 {
		return s
	}
	return w
}

// rule replaces a suffix if the measure of the rest of the word is greater than minMeasure.
type rule struct {
	suffix, replacement string
	minMeasure          int
}

// firstRule applies the first rule with a matching suffix. If the measure is too small for that
// rule, it returns the word unchanged.
func firstRule(w string, rules []rule) string {
	for _, r := range rules {
		if s, ok := strings.CutSuffix(w, r.suffix); ok {
			if measure(s) > r.minMeasure {
				return s + r.replacement
			}
			return w
		}
	}
	return w
}

// The tables of Porter (1980); NLTK's changes are marked.
var (
	step1aRules = []rule{{"sses", "ss", -1}, {"ies", "i", -1}, {"ss", "ss", -1}, {"s", "", -1}}

	step2Rules = []rule{
		{"ational", "ate", 0},
		{"tional", "tion", 0},
		{"enci", "ence", 0},
		{"anci", "ance", 0},
		{"izer", "ize", 0},
		{"bli", "ble", 0}, // Porter's own program and NLTK have "bli" instead of "abli"
		{"alli", "al", 0},
		{"entli", "ent", 0},
		{"eli", "e", 0},
		{"ousli", "ous", 0},
		{"ization", "ize", 0},
		{"ation", "ate", 0},
		{"ator", "ate", 0},
		{"alism", "al", 0},
		{"iveness", "ive", 0},
		{"fulness", "ful", 0},
		{"ousness", "ous", 0},
		{"aliti", "al", 0},
		{"iviti", "ive", 0},
		{"biliti", "ble", 0},
		{"fulli", "ful", 0}, // added by NLTK
	}

	step3Rules = []rule{
		{"icate", "ic", 0},
		{"ative", "", 0},
		{"alize", "al", 0},
		{"iciti", "ic", 0},
		{"ical", "ic", 0},
		{"ful", "", 0},
		{"ness", "", 0},
	}

	step4Rules = []rule{
		{"al", "", 1},
		{"ance", "", 1},
		{"ence", "", 1},
		{"er", "", 1},
		{"ic", "", 1},
		{"able", "", 1},
		{"ible", "", 1},
		{"ant", "", 1},
		{"ement", "", 1},
		{"ment", "", 1},
		{"ent", "", 1},
		{"ou", "", 1},
		{"ism", "", 1},
		{"ate", "", 1},
		{"iti", "", 1},
		{"ous", "", 1},
		{"ive", "", 1},
		{"ize", "", 1},
	}
)

func letters(w string) int { return utf8.RuneCountInString(w) }

// consonants marks the consonants of a word. The vowels are a, e, i, o, u, and also y if it follows
// a consonant.
func consonants(w string) []bool {
	c := make([]bool, 0, len(w))
	for _, r := range w {
		switch r {
		case 'a', 'e', 'i', 'o', 'u':
			c = append(c, false)
		case 'y':
			c = append(c, len(c) == 0 || !c[len(c)-1])
		default:
			c = append(c, true)
		}
	}
	return c
}

// measure returns Porter's m: how often a consonant follows a vowel.
func measure(w string) int {
	m, c := 0, consonants(w)
	for i := 1; i < len(c); i++ {
		if c[i] && !c[i-1] {
			m++
		}
	}
	return m
}

func hasVowel(w string) bool {
	for _, consonant := range consonants(w) {
		if !consonant {
			return true
		}
	}
	return false
}

// doubleConsonant returns the last letter, and whether the word ends in a double consonant
// (Porter's *d).
func doubleConsonant(w string) (rune, bool) {
	last, size := utf8.DecodeLastRuneInString(w)
	previous, _ := utf8.DecodeLastRuneInString(w[:len(w)-size])
	c := consonants(w)
	return last, len(c) >= 2 && last == previous && c[len(c)-1]
}

// endsCVC reports whether Porter's condition *o holds: the word ends in consonant, vowel and
// consonant, and its last letter is not w, x or y. NLTK also accepts a word that is just a vowel
// and a consonant.
func endsCVC(w string) bool {
	c := consonants(w)
	n := len(c)
	if n == 2 {
		return !c[0] && c[1]
	}
	return n >= 3 && c[n-3] && !c[n-2] && c[n-1] && !strings.ContainsRune("wxy", rune(w[len(w)-1]))
}
