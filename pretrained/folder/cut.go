package folder

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	lib "github.com/sugarme/tokenizer/normalizer"
	"github.com/sugarme/tokenizer/pretokenizer"
)

// cutter cuts parts of a text into smaller ones, none of which is empty; first says that the first
// part begins the text.
type cutter func(parts []string, first bool) []string

// cutterFile is a pre-tokenizer as tokenizer.json has it.
type cutterFile struct {
	Type          string       `json:"type"`
	Pretokenizers []cutterFile `json:"pretokenizers"`

	AddPrefixSpace *bool   `json:"add_prefix_space"`
	UseRegex       *bool   `json:"use_regex"`
	Replacement    string  `json:"replacement"`
	PrependScheme  *string `json:"prepend_scheme"`
	Split          *bool   `json:"split"`
}

// open returns the pre-tokenizer, or an error that says what is not read.
func (f *cutterFile) open() (cutter, error) {
	switch f.Type {
	case "Sequence":
		var all []cutter
		for _, one := range f.Pretokenizers {
			c, err := one.open()
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		return func(parts []string, first bool) []string {
			for _, c := range all {
				parts = c(parts, first)
			}
			return parts
		}, nil
	case "BertPreTokenizer":
		return each(func(part string, _ bool) []string { return cutBERT(part) }), nil
	case "WhitespaceSplit":
		return each(func(part string, _ bool) []string { return strings.FieldsFunc(part, unicode.IsSpace) }), nil
	case "ByteLevel":
		return f.byteLevel(), nil
	case "Metaspace":
		return f.metaspace()
	}
	return nil, notRead(fmt.Sprintf("the pre-tokenizer %q", f.Type))
}

// each cuts part by part.
func each(cut func(part string, first bool) []string) cutter {
	return func(parts []string, first bool) []string {
		if len(parts) == 1 {
			return cut(parts[0], first)
		}
		var out []string
		for i, part := range parts {
			out = append(out, cut(part, first && i == 0)...)
		}
		return out
	}
}

// cutBERT cuts at white space, which goes, and sets each sign apart.
func cutBERT(s string) (out []string) {
	start := 0
	end := func(at int) {
		if start < at {
			out = append(out, s[start:at])
		}
	}
	for i, r := range s {
		switch {
		case r >= 'a' && r <= 'z':
		case unicode.IsSpace(r):
			end(i)
			start = i + utf8.RuneLen(r)
		case lib.IsBertPunctuation(r):
			end(i)
			start = i + utf8.RuneLen(r)
			out = append(out, s[i:start])
		}
	}
	end(len(s))
	return out
}

// letters are what stands for each byte in the vocabulary.
var letters = func() (of [256]string) {
	for b, letter := range pretokenizer.BytesChar {
		of[b] = letter
	}
	return of
}()

// byteLevel cuts into words, each with the space before it, and spells their bytes.
func (f *cutterFile) byteLevel() cutter {
	space := f.AddPrefixSpace == nil || *f.AddPrefixSpace
	return each(func(part string, _ bool) []string {
		if space && part[0] != ' ' {
			part = " " + part
		}
		cut := []string{part}
		if f.UseRegex == nil || *f.UseRegex {
			cut = cutGPT2(part)
		}
		for i, word := range cut {
			var b strings.Builder
			for i := range len(word) {
				b.WriteString(letters[word[i]])
			}
			cut[i] = b.String()
		}
		return cut
	})
}

// cutGPT2 cuts as this expression does, of which Go's regexp lacks the look ahead:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func cutGPT2(s string) (out []string) {
	for s != "" {
		n := lengthGPT2(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

func lengthGPT2(s string) int {
	for _, clitic := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if strings.HasPrefix(s, clitic) {
			return len(clitic)
		}
	}
	from := 0
	if s[0] == ' ' {
		from = 1
	}
	r, _ := utf8.DecodeRuneInString(s[from:])
	if from < len(s) && !unicode.IsSpace(r) {
		class := classGPT2(r)
		n := strings.IndexFunc(s[from:], func(r rune) bool { return classGPT2(r) != class })
		if n < 0 {
			return len(s)
		}
		return from + n
	}
	n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) })
	if n < 0 {
		return len(s)
	}
	// The last one goes with the word after it, or alone.
	if _, last := utf8.DecodeLastRuneInString(s[:n]); last < n {
		n -= last
	}
	return n
}

// classGPT2 tells letters, numbers, white space and others apart.
func classGPT2(r rune) int {
	switch {
	case unicode.IsLetter(r):
		return 0
	case unicode.IsNumber(r):
		return 1
	case unicode.IsSpace(r):
		return 2
	}
	return 3
}

// metaspace writes a sign for each space and cuts before each.
func (f *cutterFile) metaspace() (cutter, error) {
	scheme := "always"
	if f.PrependScheme != nil {
		scheme = *f.PrependScheme
	} else if f.AddPrefixSpace != nil && !*f.AddPrefixSpace {
		scheme = "never"
	}
	if utf8.RuneCountInString(f.Replacement) != 1 || scheme != "always" && scheme != "first" && scheme != "never" {
		return nil, notRead(fmt.Sprintf("the pre-tokenizer Metaspace with %.40q and %.40q", f.Replacement, scheme))
	}
	return each(func(part string, first bool) []string {
		part = strings.ReplaceAll(part, " ", f.Replacement)
		if (scheme == "always" || scheme == "first" && first) && !strings.HasPrefix(part, f.Replacement) {
			part = f.Replacement + part
		}
		if f.Split != nil && !*f.Split {
			return []string{part}
		}
		var out []string
		for part != "" {
			_, first := utf8.DecodeRuneInString(part)
			n := strings.Index(part[first:], f.Replacement)
			if n < 0 {
				return append(out, part)
			}
			out = append(out, part[:first+n])
			part = part[first+n:]
		}
		return out
	}), nil
}
