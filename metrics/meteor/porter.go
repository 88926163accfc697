package meteor

import "strings"

// irregular words are stemmed by looking them up: those that Porter's rules conflate with other
// words, and that NLTK's authors collected.
var irregular = map[string]string{
	"skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
	"innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing", "cannings": "canning",
	"canning": "canning",
	"howe":    "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

// stem returns the stem of a word in lower case by the algorithm of Porter (1980), "An algorithm
// for suffix stripping", with the changes of NLTK's PorterStemmer in its default mode, each marked
// "NLTK". Signs that are no letters count as consonants.
func stem(word string) string {
	if s, ok := irregular[word]; ok { // NLTK
		return s
	}
	if letters(word) <= 2 { // NLTK, after Porter's own program
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

// step1a takes plurals away.
func step1a(w string) string {
	if strings.HasSuffix(w, "ies") && letters(w) == 4 { // NLTK: dies, not flies
		return strings.TrimSuffix(w, "s")
	}
	return firstRule(w, step1aRules)
}

// step1b takes -ed and -ing away, and mends what then remains.
func step1b(w string) string {
	if s, ok := strings.CutSuffix(w, "ied"); ok { // NLTK: died is die, spied is spi
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

// step1c makes -y an -i.
func step1c(w string) string {
	s, ok := strings.CutSuffix(w, "y")
	if !ok || letters(s) <= 1 { // NLTK: fly is fli, by stays
		return w
	}
	if c := consonants(s); c[len(c)-1] { // NLTK: not enjoy
		return s + "i"
	}
	return w
}

func step2(w string) string {
	if s, ok := strings.CutSuffix(w, "alli"); ok && measure(s) > 0 { // NLTK: -alli first, and what remains once more
		return step2(s + "al")
	}
	if s, ok := strings.CutSuffix(w, "logi"); ok { // NLTK: the l belongs to what is measured, so that geologi is geolog
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

// step5 takes a last -e away and makes -ll a single -l.
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
