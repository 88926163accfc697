package metrics

import "reflect"

// Sentence is what one output contributes to the figures of its direction, so that they can be
// computed again of any choice of outputs without a network: Score adds these up, Intervals and
// Compare draw from them. Metrics that belong to a direction as a whole are not in it.
type Sentence struct {
	From, To string // names of the styles, as Input has them
	Line     int    // of the output in its direction, from 1

	// Numbers are by the keys of the metrics' records; what is not known is absent.
	Numbers map[string][]float64
	// Origins is JSON that says why its words are there, of whoever knows; no metric reads it.
	Origins []byte
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

// kind is how the numbers of a record are in JSON: a pointer to some type, nil where they are not
// known.
type kind struct {
	pointer reflect.Type
	value   func(numbers []float64) reflect.Value
	numbers func(pointer reflect.Value) []float64
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
		pointer: reflect.TypeFor[*T](),
		value: func(n []float64) reflect.Value {
			v := value(n)
			return reflect.ValueOf(&v)
		},
		numbers: func(pointer reflect.Value) []float64 {
			if pointer.IsNil() {
				return nil
			}
			return numbers(pointer.Elem().Interface().(T))
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

// wrong says what no output can have; "": nothing.
func (s *Sentence) wrong() string {
	for _, m := range line().all {
		if m.wrong == nil {
			continue
		}
		if what := m.wrong(s); what != "" {
			return what
		}
	}
	return ""
}
