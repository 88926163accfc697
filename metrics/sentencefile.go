package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// WriteSentences writes sentences as JSON Lines: one object an output, the directions one after the other. Numbers come back bit by bit.
func WriteSentences(w io.Writer, records [2][]Sentence) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, sentences := range records {
		for i := range sentences {
			if err := enc.Encode(&sentences[i]); err != nil {
				return fmt.Errorf("writing sentence %d from %s to %s: %w", sentences[i].Line, sentences[i].From, sentences[i].To, err)
			}
		}
	}
	return nil
}

// ReadSentences reads a file of WriteSentences. The direction of the first line is the first; a file of one direction leaves the second
// empty. Errors are userr.BadInput and name file and line.
func ReadSentences(path string) ([2][]Sentence, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return [2][]Sentence{}, userr.New(userr.BadInput, "the sentence scores %q do not exist; score the outputs first, that writes them", path)
	}
	if err != nil {
		return [2][]Sentence{}, userr.New(userr.BadInput, "the sentence scores %q cannot be read: %w", path, err)
	}
	return parseSentences(path, data)
}

// parseSentences is ReadSentences of a file's content; name is what errors call it.
func parseSentences(name string, data []byte) (records [2][]Sentence, err error) {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		fail := func(format string, args ...any) ([2][]Sentence, error) {
			return [2][]Sentence{}, userr.New(userr.BadInput, "sentence scores %s:%d: %s; write the file again by scoring the outputs", name, number, fmt.Sprintf(format, args...))
		}
		var s Sentence
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&s); err != nil {
			return fail("the line is not the scores of one output (%v)", err)
		}
		if _, err := dec.Token(); err != io.EOF {
			return fail("something follows the object")
		}
		d := 0
		if first := records[0]; len(first) > 0 && (first[0].From != s.From || first[0].To != s.To) {
			d = 1
		}
		if second := records[1]; d == 1 && len(second) > 0 && (second[0].From != s.From || second[0].To != s.To) {
			return fail("from %q to %q is a third direction", s.From, s.To)
		}
		if what := s.wrong(); what != "" {
			return fail("%s", what)
		}
		if want := len(records[d]) + 1; s.Line != want {
			return fail("the next sentence from %q to %q is %d, not %d", s.From, s.To, want, s.Line)
		}
		if len(records[d]) > 0 && !slices.Equal(s.metrics(), records[d][0].metrics()) {
			return fail("the sentence has the metrics %v beside those that all have, the first of its direction has %v", s.metrics(), records[d][0].metrics())
		}
		records[d] = append(records[d], s)
	}
	if number == 0 {
		return records, userr.New(userr.BadInput, "the sentence scores %q are empty; write them again by scoring the outputs", name)
	}
	return records, nil
}

// wrong says what no output can have; "": nothing.
func (s *Sentence) wrong() string {
	for key, c := range map[string]*BLEUCounts{"s_bleu": &s.Source, "r_bleu": s.References} {
		if c == nil {
			continue
		}
		for n := range maxOrder {
			if c.Totals[n] != max(0, c.Words-n) || c.Matches[n] < 0 || c.Matches[n] > c.Totals[n] || c.ReferenceWords < 0 {
				return fmt.Sprintf("the counts of %s do not fit each other", key)
			}
		}
	}
	if (s.LogProb != nil) != (s.Tokens > 0) {
		return "log_prob and tokens, a number above 0, go together"
	}
	if s.LogProb != nil && !probable(*s.LogProb, s.Tokens) {
		return fmt.Sprintf("no perplexity can be made of the log_prob %v over %d tokens", *s.LogProb, s.Tokens)
	}
	if s.Unknown != nil && (*s.Unknown < 0 || *s.Unknown >= max(1, s.Tokens)) {
		return "unknown_words must be a number of the words, which are one less than tokens"
	}
	if a, b, c := s.EmbeddingAverage != nil, s.VectorExtrema != nil, s.GreedyMatching != nil; a != b || b != c {
		return "the three embedding metrics go together"
	}
	return ""
}

// metrics names what the sentence has beside what all have.
func (s *Sentence) metrics() []string {
	var all []string
	for _, m := range []struct {
		name string
		has  bool
	}{
		{"right", s.Right != nil},
		{"r_bleu", s.References != nil},
		{"meteor", s.METEOR != nil},
		{"embedding", s.EmbeddingAverage != nil},
		{"naturalness", s.Naturalness != nil},
		{"log_prob", s.LogProb != nil},
	} {
		if m.has {
			all = append(all, m.name)
		}
	}
	for _, judge := range slices.Sorted(maps.Keys(s.NaturalnessBy)) {
		all = append(all, "naturalness_by."+judge)
	}
	return all
}
