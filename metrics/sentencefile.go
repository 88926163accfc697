package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// WriteSentences writes sentences as JSON Lines: one object an output, the directions one after the
// other. Numbers come back bit by bit.
func WriteSentences(w io.Writer, records [2][]Sentence) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, sentences := range records {
		for i := range sentences {
			if err := enc.Encode(line().of(&sentences[i])); err != nil {
				return fmt.Errorf("writing sentence %d from %s to %s: %w", sentences[i].Line, sentences[i].From,
					sentences[i].To, err)
			}
		}
	}
	return nil
}

// ReadSentences reads a file of WriteSentences. The direction of the first line is the first; a
// file of one direction leaves the second empty. Errors are userr.BadInput and name file and line.
func ReadSentences(path string) ([2][]Sentence, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return [2][]Sentence{}, userr.New(userr.BadInput,
			"the sentence scores %q do not exist; score the outputs first, that writes them", path)
	}
	if err != nil {
		return [2][]Sentence{}, userr.New(userr.BadInput, "the sentence scores %q cannot be read: %w", path, err)
	}
	return parseSentences(path, data)
}

// parseSentences is ReadSentences of a file's content; name is what errors call it.
func parseSentences(name string, data []byte) (records [2][]Sentence, err error) {
	number := 0
	for text := range bytes.Lines(data) {
		number++
		fail := func(format string, args ...any) ([2][]Sentence, error) {
			return [2][]Sentence{}, userr.New(userr.BadInput, "sentence scores %s:%d: %s; write the file again by "+
				"scoring the outputs", name, number, fmt.Sprintf(format, args...))
		}
		read := reflect.New(line().typ).Interface()
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(read); err != nil {
			return fail("the line is not the scores of one output (%v)", err)
		}
		if _, err := dec.Token(); err != io.EOF {
			return fail("something follows the object")
		}
		s := line().sentence(read)
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
		if first := records[d]; len(first) > 0 {
			if own, all := s.beside(&first[0]), first[0].beside(&s); len(own)+len(all) > 0 {
				return fail("the sentence has the metrics %v beside those that all have, the first of its direction "+
					"has %v", own, all)
			}
		}
		records[d] = append(records[d], s)
	}
	if number == 0 {
		return records, userr.New(userr.BadInput, "the sentence scores %q are empty; write them again by scoring the "+
			"outputs", name)
	}
	return records, nil
}

// beside returns the keys, in order, that the other lacks.
func (s *Sentence) beside(other *Sentence) []string {
	var keys []string
	for key := range s.Numbers {
		if _, has := other.Numbers[key]; !has {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
