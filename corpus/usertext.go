package corpus

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Source is a user's text, cut into words, with the user's spelling of each word.
type Source struct {
	Words   Sentence // as Tokenize returns them
	spelt   []string // the user's spelling of each word
	joined  []bool   // set if no white space comes before the word; false if the user's spelling is unknown
	cutting Cutting
}

// Cut does the same as Tokenize, but also keeps the user's spelling.
func (c Cutting) Cut(raw string) (*Source, error) {
	s := &Source{cutting: c}
	err := c.eachPiece(raw, func(raw string, words []string) {
		spelt := spellings(raw, words)
		for k, w := range words {
			s.Words, s.joined = append(s.Words, w), append(s.joined, k > 0 && spelt != nil)
			if spelt != nil {
				w = spelt[k]
			}
			s.spelt = append(s.spelt, w)
		}
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// eachPiece cuts a text at white space and calls the function visit with every piece and its words.
// It refuses the same texts as Tokenize.
func (c Cutting) eachPiece(raw string, visit func(piece string, words []string)) (err error) {
	if !utf8.ValidString(raw) {
		return userr.New(userr.BadInput, "the text is not UTF-8: convert it to UTF-8")
	}
	if strings.ContainsRune(raw, 0) { // text in UTF-8 does not contain U+0000, but UTF-16 contains zero bytes
		return userr.New(
			userr.BadInput, "the text contains the character U+0000: remove it, or convert the file to UTF-8 "+
				"if it is UTF-16",
		)
	}
	defer func() { // a panic in the third-party pre-tokenizer must not end a user's session
		if p := recover(); p != nil {
			err = fmt.Errorf("tokenizing the text: %v", p)
		}
	}()
	n := 0
	for raw := range strings.FieldsSeq(wording.Normal(raw)) {
		between := []string{raw}
		if c.Characters {
			between = pieces(raw)
		}
		var words []string
		for _, piece := range between {
			piece = typography.Replace(piece)
			if len(piece) > maxPiece {
				return userr.New(
					userr.BadInput,
					"the text contains a word of %d bytes (%.20q...), but at most %d are allowed: put spaces "+
						"between words",
					len(piece), piece, maxPiece,
				)
			}
			words = append(words, splitPiece(piece)...)
		}
		if n += len(words); n > maxWords {
			return userr.New(
				userr.BadInput, "the text has more than %d words: give one sentence at a time", maxWords,
			)
		}
		visit(raw, words)
	}
	if n == 0 {
		return userr.New(userr.BadInput, "the text has no words: give a sentence")
	}
	return nil
}

// spellings returns, for each word, the part of the piece that the word comes from. It returns nil
// if the words do not align with the piece, for example if one sign went into two words.
func spellings(piece string, words []string) []string {
	if len(words) == 1 {
		return []string{piece}
	}
	spelt := make([]string, 0, len(words))
	from, remaining := 0, words
	rest := remaining[0]
	for i, r := range piece {
		replaced := strings.ToLower(typography.Replace(string(r)))
		if r == '"' && !strings.HasPrefix(rest, replaced) {
			replaced = rest[:min(2, len(rest))] // the word for this quotation mark is `` or ''
		}
		if !strings.HasPrefix(rest, replaced) {
			return nil
		}
		if rest = rest[len(replaced):]; rest != "" {
			continue
		}
		to := i + utf8.RuneLen(r)
		spelt = append(spelt, piece[from:to])
		from, remaining = to, remaining[1:]
		if len(remaining) == 0 {
			if to < len(piece) {
				return nil
			}
			return spelt
		}
		rest = remaining[0]
	}
	return nil
}

// Restore writes a model's output as the user would. Words of the source keep their spelling. A
// sentence begins with a capital if the user's sentence does. A word that replaces a word in
// capitals is in capitals. Words that were cut apart are joined again. If the source is already in
// lower case and cut like a corpus, the result is the words joined by spaces.
//
// places[k] is the index of the source word that words[k] replaces, or a number below 0 if it
// replaces none. Indices never decrease from left to right, and several words may replace the same
// source word. If places is nil, the indices are inferred.
func (s *Source) Restore(words Sentence, places []int) string {
	if places == nil {
		places = s.placesOf(words)
	}
	var b strings.Builder
	var last piece
	prose, known := s.isProse(), 0 // known: index of the source word that was replaced last
	for k, w := range words {
		p := piece{word: w, text: w, place: places[k]}
		if p.place >= 0 {
			known = p.place
			// If two words replace the first word of a sentence, the second does not get the
			// capital.
			second := k > 0 && last.place == p.place && opens(s.Words, p.place)
			p.unchanged = s.Words[p.place] == w && !second
		}
		capital := prose && opens(words, k) && s.capital(known)
		switch {
		case p.unchanged:
			if p.text = s.spelt[p.place]; capital && !opens(s.Words, p.place) {
				p.text = capitalized(p.text)
			}
		case prose:
			p.text = s.respelt(w, p.place, capital)
		}
		if k > 0 && !(prose && s.joins(last, p)) {
			b.WriteByte(' ')
		}
		b.WriteString(p.text)
		last = p
	}
	return b.String()
}

// piece is a word of an output and its spelling.
type piece struct {
	word, text string
	place      int  // index of the source word that the word replaces, below 0 if there is none
	unchanged  bool // set if the word equals that source word
}

// joins reports whether a piece is written without a space after the previous one.
func (s *Source) joins(previous, p piece) bool {
	attached := attaches(previous.word, p.word) || s.cutting.Characters && runOn(previous.text, p.text)
	i, j := previous.place, p.place
	if i < 0 || j <= i { // the source does not show whether there is a space
		return attached
	}
	switch spaceless, bothUnchanged := !slices.Contains(s.joined[i+1:j+1], false), previous.unchanged && p.unchanged; {
	case spaceless: // the source has no space between words i and j; the output may lack words between them
		return attached || !bothWords(previous.text, p.text) || bothUnchanged && j == i+1
	case p.unchanged && closing[p.word] && !s.joined[j]: // as in "tired out :)", where "out" is removed
		return false
	case bothUnchanged:
		return attached && (s.joined[i+1] || s.joined[j])
	}
	return attached
}

// isProse reports whether the text is written as people write: some words have capital letters, or
// follow the previous word without a space.
func (s *Source) isProse() bool {
	return slices.Contains(s.joined, true) ||
		slices.ContainsFunc(s.spelt, func(w string) bool { return strings.IndexFunc(w, unicode.IsUpper) >= 0 })
}

// opens reports whether a word is the first of its sentence. Signs do not count as words.
func opens(words Sentence, k int) bool {
	for k > 0 && !isEnd(words[k-1]) {
		if k--; hasLetter(words[k]) {
			return false
		}
	}
	return true
}

// The method capital reports whether the sentence that contains source word j begins with a
// capital.
func (s *Source) capital(j int) bool {
	for j > 0 && !isEnd(s.Words[j-1]) {
		j--
	}
	for j+1 < len(s.Words) && !hasLetter(s.Words[j]) {
		j++
	}
	initial, _ := utf8.DecodeRuneInString(s.spelt[j])
	return unicode.IsUpper(initial)
}

// capitalized returns a word with a capital first letter.
func capitalized(w string) string {
	initial, size := utf8.DecodeRuneInString(w)
	return string(unicode.ToUpper(initial)) + w[size:]
}

// respelt returns the spelling of a new word, which replaces source word j, or no word if j is
// below 0. If "capital" is set, the word begins with a capital letter.
func (s *Source) respelt(w string, j int, capital bool) string {
	switch {
	case w == "``" || w == "''":
		return `"`
	case j >= 0 && inCapitals(s.spelt[j]):
		return strings.ToUpper(w)
	case capital:
		return capitalized(w)
	case w == "i": // in prose, the word i is written I
		return "I"
	}
	return w
}

// inCapitals reports whether a word is all in capitals and has more than one letter: true for WAS,
// false for I and It.
func inCapitals(w string) bool {
	_, size := utf8.DecodeRuneInString(w)
	return w == strings.ToUpper(w) && strings.IndexFunc(w[size:], unicode.IsUpper) >= 0
}

// placesOf returns the index of the source word that each word replaces, or -1. If both texts have
// the same length, each word replaces the source word with the same index. Otherwise only words
// that a longest common subsequence pairs with a source word replace one.
func (s *Source) placesOf(words Sentence) []int {
	from := make([]int, len(words))
	if len(words) == len(s.Words) {
		for k := range from {
			from[k] = k
		}
		return from
	}
	n := len(s.Words)
	common := LongestCommon(words, s.Words)
	for k, j := 0, 0; k < len(words); k++ {
		for from[k] = -1; j < n && common[k+1][j] < common[k][j]; j++ {
			if words[k] == s.Words[j] && common[k][j] == 1+common[k+1][j+1] {
				from[k] = j
				j++
				break
			}
		}
	}
	return from
}

// LongestCommon returns the length of a longest common subsequence of a[i:] and b[j:], for every i
// and j.
func LongestCommon[W comparable](a, b []W) [][]int {
	longest := make([][]int, len(a)+1)
	for i := range longest {
		longest[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if longest[i][j] = max(longest[i+1][j], longest[i][j+1]); a[i] == b[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			}
		}
	}
	return longest
}

func isEnd(w string) bool { return w == "." || w == "!" || w == "?" }

func hasLetter(w string) bool { return strings.IndexFunc(w, isLetterOrDigit) >= 0 }

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

var (
	closing = set(". , ! ? ; : ) % ... ''")
	opening = set("( $ ``")
	// negated words come before n't, as in "isn't"; "ca" is from "can't".
	negated = set("ai are ca could did do does had has have is might must need ought sha should was were wo would")
)

// attaches reports whether a new word is written without a space after the previous one.
func attaches(previous, w string) bool {
	clitic := len(w) > 1 && w[0] == '\'' && clitics[w[1:]]
	return closing[w] || opening[previous] || clitic && isWord(previous) || w == "n't" && negated[previous]
}

// runOn reports whether a and b are written without a space between them: the last character of a
// or the first character of b is a letter of a script without spaces, or a sign of such scripts.
func runOn(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	wide := func(r rune) bool {
		return spaceless(r) || r >= 0x3001 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF65 // 、 to 〿, ！ to ･
	}
	return wide(last) || wide(first)
}

// bothWords reports whether a and b would look like one word without a space between them.
func bothWords(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return isLetterOrDigit(last) && isLetterOrDigit(first)
}
