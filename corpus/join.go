package corpus

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sugarme/tokenizer/normalizer"
)

// The corpora keep together what the BERT pre-tokenizer cuts: contractions (n't, 's), hyphens
// (t-shirt), numbers (4.5, 10/10), placeholders (_num_), abbreviations (dr., a.m.), runs (..., --).
// join restores these.

// whole are pieces that are one word only when they stand alone.
var whole = set("\" w/ +/-")

var (
	// after an apostrophe, a word of its own with it
	clitics = set("s m d ll re ve")
	// after an apostrophe that begins a piece
	apostrophized = set("em n til tis twas cause")
	abbreviations = set("mr mrs ms dr jr sr st vs") // keep their period
	// between two words without spaces
	joiners       = set("- / & @ * '")
	numberJoiners = set(". , :") // between two digits
	runs          = map[string]int{
		".": maxPiece,
		"-": maxPiece,
		"*": maxPiece,
		"`": 2,
		"'": 2,
	} // longest run that is one word
)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// join takes the atoms of one piece, words and single punctuation signs, and returns its words.
func join(atoms []string) []string {
	atoms = joinUnderscores(atoms)
	at := func(i int) string {
		if i < 0 || i >= len(atoms) {
			return ""
		}
		return atoms[i]
	}
	var out []string
	for i := 0; i < len(atoms); {
		a := atoms[i]
		switch {
		case a == "\"": // opening before a word and not after one
			quote := "''"
			if isWord(at(i+1)) && !isWord(at(i-1)) {
				quote = "``"
			}
			out = append(out, quote)
			i++
		case a == "'" && clitics[at(i+1)]:
			out = append(out, a+at(i+1))
			i += 2
		case isWord(a), a == "'" && (apostrophized[at(i+1)] || startsWithDigit(at(i+1))):
			words, n := takeWord(atoms[i:])
			out = append(out, words...)
			i += n
		default:
			n := 1
			for n < runs[a] && at(i+n) == a {
				n++
			}
			out = append(out, strings.Repeat(a, n))
			i += n
		}
	}
	return out
}

// takeWord returns the one or two words that atoms begin with, and how many atoms they are.
func takeWord(atoms []string) (words []string, n int) {
	if n = dotted(atoms); n > 0 {
		return []string{strings.Join(atoms[:n], "")}, n
	}
	w := atoms[0]
	n = 1
	if w == "'" {
		w += atoms[1]
		n = 2
	}
	for n+1 < len(atoms) && isWord(atoms[n+1]) {
		sign, next := atoms[n], atoms[n+1]
		if sign == "'" && clitics[next] || next == "n" && n+3 < len(atoms) && atoms[n+2] == "'" && atoms[n+3] == "t" {
			break // 's or n't begins here
		}
		if sign == "'" && next == "t" && strings.HasSuffix(w, "n") && !strings.Contains(w, "'") {
			if w = strings.TrimSuffix(w, "n"); w == "" {
				return []string{"n't"}, n + 2
			}
			return []string{w, "n't"}, n + 2
		}
		if !joiners[sign] && !(numberJoiners[sign] && endsWithDigit(w) && startsWithDigit(next)) {
			break
		}
		w += sign + next
		n += 2
	}
	rest := atoms[n:]
	if len(rest) > 0 && rest[0] == "." && abbreviations[w] && (len(rest) == 1 || rest[1] != "." && !isWord(rest[1])) ||
		len(rest) == 1 && rest[0] == "+" { // dr. and a+
		w += rest[0]
		n++
	}
	return []string{w}, n
}

// dotted counts the atoms of an abbreviation like a.m. or u.s.a. at the beginning, 0 if there is
// none.
func dotted(atoms []string) int {
	n := 0
	for n+1 < len(atoms) && utf8.RuneCountInString(atoms[n]) == 1 && isLetter(atoms[n]) && atoms[n+1] == "." {
		n += 2
	}
	if n < 4 {
		return 0
	}
	return n
}

// joinUnderscores makes the underscore a letter, so that _num_ and num_extend are words.
func joinUnderscores(atoms []string) []string {
	var out []string
	inWord := false
	for _, a := range atoms {
		word := a == "_" || isWord(a)
		if word && inWord {
			out[len(out)-1] += a
		} else {
			out = append(out, a)
		}
		inWord = word
	}
	return out
}

// isWord reports whether an atom is more than a punctuation sign.
func isWord(atom string) bool {
	r, _ := utf8.DecodeRuneInString(atom)
	return atom != "" && (r == '_' || !normalizer.IsBertPunctuation(r))
}

func isLetter(atom string) bool {
	r, _ := utf8.DecodeRuneInString(atom)
	return unicode.IsLetter(r)
}

func startsWithDigit(atom string) bool { return atom != "" && atom[0] >= '0' && atom[0] <= '9' }

func endsWithDigit(word string) bool {
	return word != "" && startsWithDigit(word[len(word)-1:])
}
