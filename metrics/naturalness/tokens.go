package naturalness

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenisation says how a sentence is split into the tokens of a naturalness weights file.
type tokenisation int

// The tokenisations.
const (
	// regexTokens splits words further, like the tokeniser of the published weights, which uses a
	// regular expression. The rules were inferred from sentences that this tokeniser had split. The
	// text is lower-cased and split from left to right. The rules are tried in this order, and the
	// first rule that fits gives the next token:
	//
	//	(dr|mr|mrs|ms|a.m|p.m)\. | :3 | [a-z]+(['_-][a-z]+)? | [0-9]+
	//
	// If no rule fits, the next token is one other character with its direct repetitions, such as
	// "!!!". So "don't" is one token, "'s" is two, and "run-of-the-mill" is "run-of", "-",
	// "the-mill". Other emoticons and dotted abbreviations did not occur in the sentences used for
	// checking, so these rules split them like any other text.
	regexTokens tokenisation = iota
	// whiteSpaceTokens takes the words as they are.
	whiteSpaceTokens
)

// String returns the name used in signatures.
func (t tokenisation) String() string {
	if t == whiteSpaceTokens {
		return "whitespace"
	}
	return "regex"
}

// tokens returns the lower-cased tokens of a sentence given as whitespace-separated words.
func (t tokenisation) tokens(words []string) []string {
	out := make([]string, 0, len(words)+4)
	for _, w := range words {
		w = strings.ToLower(w)
		if t == whiteSpaceTokens {
			out = append(out, w)
		} else {
			out = appendRegexTokens(out, w)
		}
	}
	return out
}

// fixedTokens lists texts that become one token if the rest of the sentence begins with one of
// them.
var fixedTokens = []string{"dr.", "mr.", "mrs.", "ms.", "a.m.", "p.m.", ":3"}

// appendRegexTokens splits lower-cased text, which may contain white space. No token contains white
// space, so a sentence can be split word by word.
func appendRegexTokens(tokens []string, s string) []string {
	for s != "" {
		n := tokenLen(s)
		if r, _ := utf8.DecodeRuneInString(s); !unicode.IsSpace(r) {
			tokens = append(tokens, s[:n])
		}
		s = s[n:]
	}
	return tokens
}

// tokenLen returns the length in bytes of the token at the beginning of s, which is not empty.
func tokenLen(s string) int {
	for _, t := range fixedTokens {
		if strings.HasPrefix(s, t) {
			return len(t)
		}
	}
	if n := runOf(s, isLetter); n > 0 {
		if n < len(s) && strings.IndexByte("'_-", s[n]) >= 0 {
			if suffix := runOf(s[n+1:], isLetter); suffix > 0 {
				return n + 1 + suffix
			}
		}
		return n
	}
	if n := runOf(s, isDigit); n > 0 {
		return n
	}
	first, size := utf8.DecodeRuneInString(s)
	n := size
	for n < len(s) {
		// The sizes distinguish an invalid byte from a U+FFFD in the text.
		if r, m := utf8.DecodeRuneInString(s[n:]); r != first || m != size || s[n] != s[0] {
			break
		}
		n += size
	}
	return n
}

func runOf(s string, accept func(byte) bool) int {
	n := 0
	for n < len(s) && accept(s[n]) {
		n++
	}
	return n
}

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }
