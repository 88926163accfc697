package corpus

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sugarme/tokenizer/normalizer"
)

// maxPiece is the most bytes between two white spaces; the library takes some hundred bytes of
// memory a byte.
const maxPiece = 1000

// Tokenize cuts a user's text into words like those of the corpora (lower case, Penn Treebank
// style): "I don't like it." becomes i do n't like it . White space of any kind, line ends
// included, separates; punctuation is set apart by the BERT pre-tokenizer, then what the corpora
// keep together is joined again (see join), and what is one word with signs in it stays one (see
// wholeWord). Text that already looks like a corpus comes through
// unchanged, and so does the result of Tokenize. Digits stay digits. Refused with a userr.BadInput:
// text that is not UTF-8, has U+0000 or no words, more than maxWords words, over 1,000 bytes
// without white space.
func Tokenize(raw string) (words Sentence, err error) { return Cutting{}.Tokenize(raw) }

// Cutting is how text is cut into words.
type Cutting struct {
	// Characters makes a word of each character of the scripts that are written without spaces, as
	// Chinese, Japanese and Thai are: without it a word is what stands between white space.
	Characters bool
}

// Tokenize is the function of this name, in this way.
func (c Cutting) Tokenize(raw string) (words Sentence, err error) {
	err = c.eachPiece(raw, func(_ string, cut []string) { words = append(words, cut...) })
	if err != nil {
		return nil, err
	}
	return words, nil
}

// typography spells typewriter versions of printed signs, as the corpora do.
var typography = strings.NewReplacer("’", "'", "‘", "'", "“", "``", "”", "''", "—", "--", "…", "...")

var lower = normalizer.NewDefaultNormalizer(normalizer.WithLowercase(true), normalizer.WithStrip(false))

// splitPiece cuts one piece of text without white space.
func splitPiece(piece string) []string {
	if plain(piece) {
		return []string{piece}
	}
	return cutPiece(piece)
}

// plain tells pieces that cutPiece leaves as they are, as most of a corpus are: it takes some ten
// microseconds each.
func plain(piece string) bool {
	for i := range len(piece) {
		if c := piece[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return len(piece) == 1 && c < utf8.RuneSelf && (c < 'A' || c > 'Z') // a sign
		}
	}
	return true
}

// cutPiece does what splitPiece says for any piece.
func cutPiece(piece string) []string {
	n, err := lower.Normalize(normalizer.NewNormalizedFrom(piece))
	if err != nil {
		panic(err) // Normalize of this normalizer always returns nil; Tokenize turns it into an error
	}
	// The library does not realign offsets after lower-casing, and Ⱥ is a byte shorter than ⱥ:
	// start afresh.
	piece = n.GetNormalized()
	if whole[piece] {
		return []string{piece}
	}
	words := join(atomsOf(piece))
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, marker, "")
	}
	return words
}

// The corpora keep together what the BERT pre-tokenizer cuts: contractions (n't, 's), hyphens
// (t-shirt), numbers (4.5, 10/10), placeholders (_num_), abbreviations (dr., a.m.), runs (..., --).
// join restores these.

// whole are pieces that are one word only when they stand alone.
var whole = set("\" w/ +/-")

var (
	// after an apostrophe, a word of its own with it
	clitics = set("s m d ll re ve")
	// after an apostrophe that begins a piece
	apostrophized = set("em n til tis twas cause twere twill twould gainst neath mongst twixt tween bove pon bout")
	apostrophed   = set("th wi o t")                // before one that ends a piece: the, with, of, to
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
	if len(rest) > 0 && rest[0] == "'" && apostrophed[w] && (len(rest) == 1 || !isWord(rest[1]) && rest[1] != "'") ||
		len(rest) > 0 && rest[0] == "." && abbreviations[w] && (len(rest) == 1 || rest[1] != "." && !isWord(rest[1])) ||
		len(rest) == 1 && rest[0] == "+" { // th', dr. and a+
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
