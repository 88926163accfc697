package corpus

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sugarme/tokenizer/normalizer"
)

// maxPiece is the maximum number of bytes without white space between them. The tokenizer library
// needs some hundred bytes of memory per byte of text.
const maxPiece = 1000

// Cutting says how text is cut into words.
type Cutting struct {
	// Characters makes each character a word in scripts written without spaces, such as Chinese,
	// Japanese and Thai. If it is false, white space separates words in these scripts too.
	Characters bool
}

// Tokenize cuts a user's text into words like those of the corpora (lower case, Penn Treebank
// style): "I don't like it." becomes "i do n't like it .". It cuts at white space, including line
// ends, and then separates punctuation with the BERT pre-tokenizer. After that, the function join
// puts together what the corpora keep together, such as "n't". The function wholeWord keeps words
// that contain signs, such as links. Text that is already cut in this way stays unchanged. Digits
// stay digits. Tokenize refuses, with userr.BadInput, text that is not UTF-8 or contains U+0000,
// and text with no words, with more than maxWords words, or with over 1,000 bytes without white
// space between them.
func (c Cutting) Tokenize(raw string) (words Sentence, err error) {
	err = c.eachPiece(raw, func(_ string, cut []string) { words = append(words, cut...) })
	if err != nil {
		return nil, err
	}
	return words, nil
}

// typography replaces typographic signs by ASCII ones, as the corpora do.
var typography = strings.NewReplacer("’", "'", "‘", "'", "“", "``", "”", "''", "—", "--", "…", "...")

var lower = normalizer.NewDefaultNormalizer(normalizer.WithLowercase(true), normalizer.WithStrip(false))

// splitPiece cuts one piece of text without white space.
func splitPiece(piece string) []string {
	if isSimple(piece) {
		return []string{piece}
	}
	return cutPiece(piece)
}

// isSimple reports whether a piece is so simple that cutPiece would not change it. This check saves
// time: most pieces are simple, and cutPiece takes some ten microseconds.
func isSimple(piece string) bool {
	for i := range len(piece) {
		if c := piece[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return len(piece) == 1 && c < utf8.RuneSelf && (c < 'A' || c > 'Z') // a single ASCII sign
		}
	}
	return true
}

// cutPiece does the same as splitPiece, without the shortcut for simple pieces.
func cutPiece(piece string) []string {
	n, err := lower.Normalize(normalizer.NewNormalizedFrom(piece))
	if err != nil {
		panic(err) // this Normalize never returns an error; if it did, Tokenize would return the panic as an error
	}
	// Cut the lower-case text itself: the library's offsets are wrong if lower-casing changes the
	// number of bytes (Ⱥ has two, ⱥ three).
	piece = n.GetNormalized()
	if wholePieces[piece] {
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
// The function join puts the parts together again.

// wholePieces are pieces that are one word only when they stand alone.
var wholePieces = set("\" w/ +/-")

var (
	// clitics form a word with an apostrophe before them.
	clitics = set("s m d ll re ve")
	// apostrophized words follow an apostrophe that begins a piece.
	apostrophized = set("em n til tis twas cause twere twill twould gainst neath mongst twixt tween bove pon bout")
	apostrophed   = set("th wi o t")                // words before an apostrophe that ends a piece (th' = the)
	abbreviations = set("mr mrs ms dr jr sr st vs") // these words keep their period
	// joiners join two words without spaces.
	joiners       = set("- / & @ * '")
	numberJoiners = set(". , :") // join two words if the first ends and the second starts with a digit
	// runs maps a sign to the maximum number of its repetitions that form one word.
	runs = map[string]int{
		".": maxPiece,
		"-": maxPiece,
		"*": maxPiece,
		"`": 2,
		"'": 2,
	}
)

func set(words string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// join returns the words of one piece, given its atoms (words and single punctuation signs).
func join(atoms []string) []string {
	atoms = joinUnderscores(atoms)
	atom := func(i int) string {
		if i < 0 || i >= len(atoms) {
			return ""
		}
		return atoms[i]
	}
	var out []string
	for i := 0; i < len(atoms); {
		a := atoms[i]
		switch {
		case a == "\"": // this mark opens a quotation if a word follows it and no word precedes it
			quote := "''"
			if isWord(atom(i+1)) && !isWord(atom(i-1)) {
				quote = "``"
			}
			out = append(out, quote)
			i++
		case a == "'" && clitics[atom(i+1)]:
			out = append(out, a+atom(i+1))
			i += 2
		case isWord(a), a == "'" && (apostrophized[atom(i+1)] || startsWithDigit(atom(i+1))):
			words, n := takeWord(atoms[i:])
			out = append(out, words...)
			i += n
		default:
			n := 1
			for n < runs[a] && atom(i+n) == a {
				n++
			}
			out = append(out, strings.Repeat(a, n))
			i += n
		}
	}
	return out
}

// takeWord returns the one or two words at the start of atoms, and the number of atoms that form
// them.
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
			break // a clitic such as 's, or n't, begins here
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
		len(rest) == 1 && rest[0] == "+" { // as in th', dr. and a+
		w += rest[0]
		n++
	}
	return []string{w}, n
}

// The function dotted returns the number of atoms of an abbreviation such as a.m. or u.s.a. at the
// start of atoms, or 0 if there is none.
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

// joinUnderscores treats the underscore as a letter, so that _num_ and num_extend are words.
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
