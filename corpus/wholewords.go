package corpus

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/normalizer"
	"github.com/sugarme/tokenizer/pretokenizer"
)

// What has signs within it and is one word for whoever reads it: links, e-mail addresses, mentions,
// hashtags, and words of which letters are hidden behind * $ @ or !. The text is in lower case.
var (
	link = regexp.MustCompile(`^(?:(?:https?|ftp)://|www\.)[\pL\pN][^\s<>"` + "`" + `]*`)
	site = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:com|org|net|edu|gov)(?:\.[a-z]{2})?` +
		`(?:/[^\s<>"` + "`" + `]*)?`)
	mail    = regexp.MustCompile(`^[\pL\pN][\pL\pN_.+%-]*@[\pL\pN][\pL\pN-]*(?:\.[\pL\pN-]+)*\.\pL{2,}`)
	mention = regexp.MustCompile(`^@\pL[\pL\pN\pM_]*`)
	hashtag = regexp.MustCompile(`^#\pN*\pL[\pL\pN\pM_]*`)
	hidden  = regexp.MustCompile(`^[\pL\pN\pM*$@!]+`)
)

// marker stands before a word of these kinds among the atoms of a piece, so that it is none of a
// sign. No text has it.
const marker = "\x00"

// atomsOf cuts a piece at its signs, but for those of words that have signs within them.
func atomsOf(piece string) (atoms []string) {
	from, before := 0, ' '
	for i := 0; i < len(piece); {
		r, size := utf8.DecodeRuneInString(piece[i:])
		if n := wholeWord(piece[i:], before); n > 0 {
			atoms = append(append(atoms, bertCut(piece[from:i])...), marker+piece[i:i+n])
			i += n
			from = i
			before, _ = utf8.DecodeLastRuneInString(piece[:i])
			continue
		}
		i, before = i+size, r
	}
	return append(atoms, bertCut(piece[from:])...)
}

// bertCut sets the signs of a text apart.
func bertCut(text string) (atoms []string) {
	if text == "" {
		return nil
	}
	cut, err := bert.PreTokenize(tokenizer.NewPreTokenizedString(text))
	if err != nil {
		panic(err) // it always returns nil; Tokenize turns it into an error
	}
	for _, t := range cut.GetSplits(normalizer.OriginalTarget, tokenizer.Byte) {
		atoms = append(atoms, t.Value)
	}
	return atoms
}

// wholeWord returns how many bytes the text, which stands behind a letter or sign, begins with are
// a word with signs in it, 0 where it begins with none.
func wholeWord(text string, behind rune) int {
	if !strings.ContainsAny(text, "@#$*!/.") || isLetterOrDigit(behind) || behind == '_' || behind == '@' {
		return 0
	}
	for _, kind := range []*regexp.Regexp{link, site} {
		found := kind.FindString(text)
		if kind == site && found != "" && continues(text[len(found):]) { // of another word
			found = ""
		}
		if found != "" {
			return len(trimmed(found))
		}
	}
	for _, kind := range []*regexp.Regexp{mail, mention, hashtag} {
		found := kind.FindString(text)
		if kind == mention && strings.ContainsAny(strings.TrimPrefix(hidden.FindString(text), "@"), "*$@") {
			continue
		}
		if found != "" {
			return len(found)
		}
	}
	if behind == '*' { // what stands between stars has weight, and hides nothing
		return 0
	}
	run := hidden.FindString(text)
	if strings.HasPrefix(text[len(run):], "'t") {
		run = strings.TrimSuffix(run, "n") // n't is a word of its own
	}
	return len(hiddenWord(run))
}

// spelt is what looks like a mention and is a word whose first letter is hidden.
var spelt = regexp.MustCompile(`^@(?:ss|rse)\pL*$`)

// NeverMasked tells, of each word of some sentences, whether it is a link, an e-mail address or a
// mention: nobody writes another in its place, whatever the style. A sentence without one has nil,
// and where no sentence has one all is nil.
func NeverMasked(sentences []Sentence) (all [][]bool) {
	for i, words := range sentences {
		for k, word := range words {
			if !isAddress(word) {
				continue
			}
			if all == nil {
				all = make([][]bool, len(sentences))
			}
			if all[i] == nil {
				all[i] = make([]bool, len(words))
			}
			all[i][k] = true
		}
	}
	return all
}

// isAddress tells whether a word is a link, an e-mail address or a mention, in capitals too.
func isAddress(word string) bool {
	if len(word) < len("@x") || !strings.ContainsAny(word, "@./") { // nearly every word
		return false
	}
	word = strings.ToLower(word)
	whole := func(kind *regexp.Regexp) bool { return kind.FindString(word) == word }
	return link.MatchString(word) || whole(site) || whole(mail) || whole(mention) && !spelt.MatchString(word)
}

// continues tells a rest that goes on with a letter or digit.
func continues(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && (isLetterOrDigit(r) || r == '_' || r == '@')
}

// trimmed is a link without the signs of the sentence behind it.
func trimmed(link string) string {
	for link != "" {
		last := link[len(link)-1]
		if !strings.ContainsRune(`.,;:!?'*])}`, rune(last)) || last == ')' && strings.Count(link, "(") >= strings.Count(link, ")") {
			break
		}
		link = link[:len(link)-1]
	}
	return link
}

// shortWords are those that may end a sentence with an exclamation mark before the next one begins
// without a space.
var shortWords = set("a i o ah aw eh er go ha he hi hm ho in it la lo me mm my no of oh ok on so to uh um up us we ya yo")

// The most letters that are left of a word whose end, or beginning, is stars; of more it is a
// footnote's or emphasis.
const mostBesideStars = 3

// hiddenWord returns the part from the beginning of a run of letters, digits and * $ @ ! that is a
// word of which letters are hidden, "" where it is none: "b*d", "cr@p", "a$$", "f***", "sh!p", but
// not "$5", "us$", "note**" or "wow!!".
func hiddenWord(run string) string {
	word := run
	for short := withoutSigns(word); short != word; short = withoutSigns(word) {
		word = short
	}
	head := strings.TrimLeft(word, "*$@!")
	signs := word[:len(word)-len(head)]
	stars := strings.Count(signs, "*")
	switch {
	case word == "@$$":
		return word
	case lettersOf(head) == 0, strings.Contains(signs, "!"):
		return ""
	case stars > 0 && (stars == 1 || strings.HasSuffix(word, "*") || lettersOf(head) > mostBesideStars):
		return ""
	}
	return onlyHidden(word)
}

// withoutSigns takes signs from the end of a word that are none of its letters.
func withoutSigns(word string) string {
	word = strings.TrimRight(word, "!@")
	stem := strings.TrimRight(word, "*")
	if stars := len(word) - len(stem); stars == 1 || stars > 1 && lettersOf(stem) > mostBesideStars {
		return stem
	}
	stem = strings.TrimRight(word, "$")
	switch len(word) - len(stem) {
	case 0, 2:
		return word
	case 1:
		if lettersOf(stem) > mostBesideStars { // unlike "us$"
			return word
		}
	}
	return stem
}

// onlyHidden returns a word if its signs can be letters of it.
func onlyHidden(word string) string {
	runes := []rune(word)
	marks, others := 0, 0
	for i, r := range runes {
		next := ' '
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case (r == '$' || r == '@') && unicode.IsDigit(next): // a price, or a place
			return ""
		case r == '!' && next == '!':
			return ""
		case r == '!':
			marks++
		case r == '*' || r == '$' || r == '@':
			others++
		}
	}
	if marks > 0 && others == 0 {
		before, after, _ := strings.Cut(word, "!")
		if marks > 1 || shortWords[before] || utf8.RuneCountInString(before) > 2 || lettersOf(before) == 0 ||
			utf8.RuneCountInString(after) > mostBehindMark {
			return ""
		}
	}
	if marks+others == 0 {
		return ""
	}
	return word
}

// mostBehindMark is the most letters behind an exclamation mark that is a letter.
const mostBehindMark = 5

func lettersOf(text string) (n int) {
	for _, r := range text {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

var bert = pretokenizer.NewBertPreTokenizer()
