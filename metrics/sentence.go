package metrics

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Sentence is what one output contributes to the figures of its direction, so that they can be
// computed again of any choice of outputs without a network: Score adds these up, Intervals and
// Compare draw from them. Metrics that belong to a direction as a whole are not in it.
type Sentence struct {
	From, To string // names of the styles, as Input has them
	Line     int    // of the output in its direction, from 1

	// Numbers are by the keys of the metrics' records; what is not known is absent.
	Numbers map[string][]float64
}

// number is the one number of a key, 0 where it is not known.
func (s *Sentence) number(key string) float64 {
	if n := s.Numbers[key]; n != nil {
		return n[0]
	}
	return 0
}

// record is what every output contributes under one key of the file of sentences.
type record struct {
	key  string
	kind kind
	of   func(*measured) [][]float64 // of each output; nil: not known
}

// kind is how the numbers of a record are written in JSON.
type kind struct {
	value   func(numbers []float64) any
	numbers func(json.RawMessage) ([]float64, error) // nil of null
}

// The kinds of one number: any, a whole one, and 0 or 1.
var (
	number = kindOf(func(v float64) []float64 { return []float64{v} }, func(n []float64) float64 { return n[0] })
	whole  = kindOf(func(v int) []float64 { return []float64{float64(v)} }, func(n []float64) int { return int(n[0]) })
	flag   = kindOf(func(v bool) []float64 {
		if v {
			return []float64{1}
		}
		return []float64{0}
	}, func(n []float64) bool { return n[0] != 0 })
)

func kindOf[T any](numbers func(T) []float64, value func([]float64) T) kind {
	return kind{
		value: func(n []float64) any { return value(n) },
		numbers: func(text json.RawMessage) ([]float64, error) {
			var v *T
			dec := json.NewDecoder(bytes.NewReader(text))
			dec.DisallowUnknownFields()
			if err := dec.Decode(&v); err != nil || v == nil {
				return nil, err
			}
			return numbers(*v), nil
		},
	}
}

// single makes rows of one number each.
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

// MarshalJSON writes the names and then the records, in the order of All.
func (s Sentence) MarshalJSON() ([]byte, error) {
	var o object
	o.put("from", s.From)
	o.put("to", s.To)
	o.put("line", s.Line)
	for _, m := range All(judgesIn(s.Numbers)...) {
		for _, r := range m.records {
			if n := s.Numbers[r.key]; n != nil {
				o.put(r.key, r.kind.value(n))
			}
		}
	}
	return o.text()
}

// UnmarshalJSON reads what MarshalJSON writes; a key that is not known is an error.
func (s *Sentence) UnmarshalJSON(text []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	raw, err := flat(raw)
	if err != nil {
		return err
	}
	*s = Sentence{Numbers: map[string][]float64{}}
	for key, into := range map[string]any{"from": &s.From, "to": &s.To, "line": &s.Line} {
		if value, has := raw[key]; has {
			if err := json.Unmarshal(value, into); err != nil {
				return err
			}
		}
		delete(raw, key)
	}
	for _, m := range All(judgesIn(raw)...) {
		for _, r := range m.records {
			value, has := raw[r.key]
			if !has {
				continue
			}
			numbers, err := r.kind.numbers(value)
			if err != nil {
				return err
			}
			if numbers != nil {
				s.Numbers[r.key] = numbers
			}
			delete(raw, r.key)
		}
	}
	for key := range raw {
		return fmt.Errorf("json: unknown field %q", key)
	}
	return nil
}

// wrong says what no output can have; "": nothing.
func (s *Sentence) wrong() string {
	for _, m := range All() {
		if m.wrong == nil {
			continue
		}
		if what := m.wrong(s); what != "" {
			return what
		}
	}
	return ""
}
