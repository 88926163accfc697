package folder

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addedToken is a token that is found in a text before it is cut.
type addedToken struct {
	ID         int64  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // only where no letter is beside it
	LStrip     bool   `json:"lstrip"`      // takes white space on its left
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"` // looked for in the normalised text

	bare bool // written as a text alone
}

// UnmarshalJSON reads a token, or its text alone.
func (t *addedToken) UnmarshalJSON(raw []byte) error {
	if t.bare = raw[0] == '"'; t.bare {
		return json.Unmarshal(raw, &t.Content)
	}
	type plain addedToken
	return json.Unmarshal(raw, (*plain)(t))
}

// finder finds added tokens, by the byte that they begin with; the longest first.
type finder map[byte][]addedToken

func newFinder(tokens []addedToken) finder {
	f := finder{}
	for _, t := range tokens {
		if t.Content != "" {
			f[t.Content[0]] = append(f[t.Content[0]], t)
		}
	}
	for _, of := range f {
		slices.SortStableFunc(of, func(a, b addedToken) int { return cmp.Compare(len(b.Content), len(a.Content)) })
	}
	return f
}

// section is a part of a text, an added token or what is between two.
type section struct {
	text  string
	token bool
	id    int64
}

// sections cuts a text at the added tokens in it.
func (f finder) sections(text string) []section {
	if len(f) == 0 {
		return []section{{text: text}}
	}
	var out []section
	done := 0
	for at := 0; at < len(text); {
		t, found := f.at(text[at:])
		if !found {
			at++
			continue
		}
		start, end := at, at+len(t.Content)
		at = end
		if t.SingleWord && (wordEnds(text[:start]) || wordBegins(text[end:])) || start < done {
			continue
		}
		if t.LStrip {
			start = max(done, len(strings.TrimRightFunc(text[:start], unicode.IsSpace)))
		}
		if t.RStrip {
			end = len(text) - len(strings.TrimLeftFunc(text[end:], unicode.IsSpace))
		}
		if done < start {
			out = append(out, section{text: text[done:start]})
		}
		out = append(out, section{token: true, id: t.ID})
		done = end
	}
	if done < len(text) {
		out = append(out, section{text: text[done:]})
	}
	return out
}

// at returns the longest token that a text begins with.
func (f finder) at(text string) (addedToken, bool) {
	for _, t := range f[text[0]] {
		if strings.HasPrefix(text, t.Content) {
			return t, true
		}
	}
	return addedToken{}, false
}

func wordEnds(text string) bool {
	r, n := utf8.DecodeLastRuneInString(text)
	return n > 0 && isWordRune(r)
}

func wordBegins(text string) bool {
	r, n := utf8.DecodeRuneInString(text)
	return n > 0 && isWordRune(r)
}

// isWordRune tells what \w of a regular expression is in Unicode.
func isWordRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Other_Alphabetic,
		unicode.Join_Control)
}
