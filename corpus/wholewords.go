package corpus

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/sugarme/tokenizer"
	"github.com/sugarme/tokenizer/normalizer"
	"github.com/sugarme/tokenizer/pretokenizer"
)

// Patterns of single words that contain signs: links, e-mail addresses, mentions and hashtags. The
// text is in lower case.
var (
	link = regexp.MustCompile(`^(?:(?:https?|ftp)://|www\.)[\pL\pN][^\s<>"` + "`" + `]*`)
	site = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*(?:\.[a-z0-9-]+)*\.(?:com|org|net|edu|gov)(?:\.[a-z]{2})?` +
		`(?:/[^\s<>"` + "`" + `]*)?`)
	mail    = regexp.MustCompile(`^[\pL\pN][\pL\pN_.+%-]*@[\pL\pN][\pL\pN-]*(?:\.[\pL\pN-]+)*\.\pL{2,}`)
	mention = regexp.MustCompile(`^@\pL[\pL\pN\pM_]*`)
	hashtag = regexp.MustCompile(`^#\pN*\pL[\pL\pN\pM_]*`)
)

// marker is the first character of every atom that is a word with signs. Without it, the function
// join could take a word such as "@ada" for a sign. No text contains this character.
const marker = "\x00"

// atomsOf cuts a piece at its signs, except inside words that wholeWord recognises, such as links.
func atomsOf(piece string) (atoms []string) {
	from, previous := 0, ' '
	for i := 0; i < len(piece); {
		r, size := utf8.DecodeRuneInString(piece[i:])
		if n := wholeWord(piece[i:], previous); n > 0 {
			atoms = append(append(atoms, bertCut(piece[from:i])...), marker+piece[i:i+n])
			i += n
			from = i
			previous, _ = utf8.DecodeLastRuneInString(piece[:i])
			continue
		}
		i, previous = i+size, r
	}
	return append(atoms, bertCut(piece[from:])...)
}

// bertCut cuts a text at its signs with the BERT pre-tokenizer.
func bertCut(text string) (atoms []string) {
	if text == "" {
		return nil
	}
	cut, err := bert.PreTokenize(tokenizer.NewPreTokenizedString(text))
	if err != nil {
		panic(err) // this never happens, and Tokenize turns the panic into an error
	}
	for _, t := range cut.GetSplits(normalizer.OriginalTarget, tokenizer.Byte) {
		atoms = append(atoms, t.Value)
	}
	return atoms
}

// wholeWord returns the length in bytes of the word that text begins with, if this word contains
// signs. Otherwise it returns 0. previous is the character before text.
func wholeWord(text string, previous rune) int {
	if !strings.ContainsAny(text, "@#/.") || isLetterOrDigit(previous) || previous == '_' || previous == '@' {
		return 0
	}
	for _, kind := range []*regexp.Regexp{link, site} {
		found := kind.FindString(text)
		if kind == site && found != "" && continues(text[len(found):]) { // the match is only a part of a longer word
			found = ""
		}
		if found != "" {
			return len(trimmed(found))
		}
	}
	for _, kind := range []*regexp.Regexp{mail, mention, hashtag} {
		if found := kind.FindString(text); found != "" {
			return len(found)
		}
	}
	return 0
}

// fakeMention matches words that look like mentions but hide their first letter.
var fakeMention = regexp.MustCompile(`^@(?:ss|rse)\pL*$`)

// NeverMasked marks the words of sentences that are links, e-mail addresses or mentions. Such words
// are never replaced, in any style. marks[i] is nil if sentence i has none, and marks is nil if no
// sentence has one.
func NeverMasked(sentences []Sentence) (marks [][]bool) {
	for i, words := range sentences {
		for k, word := range words {
			if !isAddress(word) {
				continue
			}
			if marks == nil {
				marks = make([][]bool, len(sentences))
			}
			if marks[i] == nil {
				marks[i] = make([]bool, len(words))
			}
			marks[i][k] = true
		}
	}
	return marks
}

// isAddress reports whether a word is a link, an e-mail address or a mention. The word may have
// upper-case letters.
func isAddress(word string) bool {
	if len(word) < len("@x") || !strings.ContainsAny(word, "@./") { // true of nearly every word
		return false
	}
	word = strings.ToLower(word)
	matches := func(kind *regexp.Regexp) bool { return kind.FindString(word) == word }
	return link.MatchString(word) || matches(site) || matches(mail) ||
		matches(mention) && !fakeMention.MatchString(word)
}

// continues reports whether rest begins with a letter, a digit, _ or @.
func continues(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && (isLetterOrDigit(r) || r == '_' || r == '@')
}

// The function trimmed removes the punctuation of the sentence from the end of a link.
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

var bert = pretokenizer.NewBertPreTokenizer()
