package metrics

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Sentence holds the numbers of one output. From these numbers, the metrics of any selection of
// outputs can be computed without running a network: Score adds the numbers up, and Intervals and
// Compare resample them. Metrics that are defined only for a whole direction are not included.
type Sentence struct {
	From, To string // style names, as in Input
	Line     int    // number of the output in its direction, from 1

	// Numbers maps the key of each metric's record to its numbers. Unknown numbers are absent.
	Numbers map[string][]float64
}

// record declares the numbers that a metric stores for every output, under one key of the file that
// WriteSentences writes.
type record struct {
	key     string
	numbers func(*measured) [][]float64 // numbers of each output; nil if they are unknown
}

// flag returns a record whose number is 1 for each output that meets the condition, else 0.
func flag(name string, condition func(source, output []string) bool) record {
	return record{name, func(m *measured) [][]float64 {
		values := make([]float64, len(m.Output))
		for i, words := range m.Output {
			if condition(m.Source[i], words) {
				values[i] = 1
			}
		}
		return single(values)
	}}
}

// The function single returns rows of one number each, which share memory with values.
func single(values []float64) [][]float64 {
	rows := make([][]float64, len(values))
	for i := range values {
		rows[i] = values[i : i+1 : i+1]
	}
	return rows
}

func floats(ints []int) []float64 {
	out := make([]float64, len(ints))
	for i, n := range ints {
		out[i] = float64(n)
	}
	return out
}

// MarshalJSON writes the sentence as one object. A key with one number has the number, and a key
// with several has a list.
func (s *Sentence) MarshalJSON() ([]byte, error) {
	object := map[string]any{"from": s.From, "to": s.To, "line": s.Line}
	for key, numbers := range s.Numbers {
		if object[key] = numbers; len(numbers) == 1 {
			object[key] = numbers[0]
		}
	}
	return json.Marshal(object)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Sentence) UnmarshalJSON(text []byte) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	*s = Sentence{Numbers: map[string][]float64{}}
	for key, value := range map[string]any{"from": &s.From, "to": &s.To, "line": &s.Line} {
		if err := json.Unmarshal(object[key], value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		delete(object, key)
	}
	for key, value := range object {
		numbers := make([]float64, 1)
		to := any(&numbers[0])
		if value[0] == '[' {
			to = &numbers
		}
		if err := json.Unmarshal(value, to); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		s.Numbers[key] = numbers
	}
	return nil
}

// WriteSentences writes sentences as JSON Lines: one object per output, one direction after the
// other. ReadSentences gets exactly the same numbers back.
func WriteSentences(w io.Writer, records [][]Sentence) error {
	enc := json.NewEncoder(w)
	for _, sentences := range records {
		for i := range sentences {
			if err := enc.Encode(&sentences[i]); err != nil {
				return fmt.Errorf("writing sentence %d from %s to %s: %w", sentences[i].Line, sentences[i].From,
					sentences[i].To, err)
			}
		}
	}
	return nil
}

// ReadSentences reads a file written by WriteSentences. The directions are in the order of their
// first lines. Errors are userr.BadInput and name the file and the line.
func ReadSentences(path string) ([][]Sentence, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput,
			"the sentence scores %q do not exist; score the outputs first, which writes them", path)
	}
	if err != nil {
		return nil, userr.New(userr.BadInput, "the sentence scores %q cannot be read: %w", path, err)
	}
	return parseSentences(path, data)
}

// parseSentences parses the content of a file of sentences. name is the file's name in errors.
func parseSentences(name string, data []byte) (records [][]Sentence, err error) {
	number := 0
	for text := range bytes.Lines(data) {
		number++
		var s Sentence
		if err := json.Unmarshal(text, &s); err != nil {
			return nil, userr.New(userr.BadInput, "sentence scores %s:%d: the line is not the scores of one output (%v); "+
				"write the file again by scoring the outputs", name, number, err)
		}
		d := slices.IndexFunc(records, func(sentences []Sentence) bool {
			return sentences[0].From == s.From && sentences[0].To == s.To
		})
		if d < 0 {
			d, records = len(records), append(records, nil)
		}
		records[d] = append(records[d], s)
	}
	if number == 0 {
		return records, userr.New(userr.BadInput, "the sentence scores %q are empty; write them again by scoring the "+
			"outputs", name)
	}
	return records, nil
}
