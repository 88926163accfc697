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
	"strings"
	"sync"

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
	// Origins is JSON that says where the words of the output come from, if known. No metric reads
	// it.
	Origins []byte
}

// number returns the single number of a key, or 0 if it is unknown.
func (s *Sentence) number(key string) float64 {
	if n := s.Numbers[key]; n != nil {
		return n[0]
	}
	return 0
}

// record declares the numbers that a metric stores for every output, under one key of the file that
// WriteSentences writes.
type record struct {
	key     string
	typ     jsonType
	numbers func(*measured) [][]float64 // numbers of each output; nil if they are unknown
}

// jsonType converts the numbers of a record to and from JSON. The struct for a line of JSON holds a
// pointer to the value, which is nil if the numbers are unknown.
type jsonType struct {
	pointer reflect.Type
	value   func(numbers []float64) reflect.Value
	numbers func(pointer reflect.Value) []float64
}

// The JSON types of records with a single number: any number, an integer, or a boolean for 0 and 1.
var (
	numberType = jsonTypeOf(
		func(v float64) []float64 { return []float64{v} }, func(n []float64) float64 { return n[0] },
	)
	wholeType = jsonTypeOf(
		func(v int) []float64 { return []float64{float64(v)} }, func(n []float64) int { return int(n[0]) },
	)
	flagType = jsonTypeOf(func(v bool) []float64 {
		if v {
			return []float64{1}
		}
		return []float64{0}
	}, func(n []float64) bool { return n[0] != 0 })
)

func jsonTypeOf[T any](numbers func(T) []float64, value func([]float64) T) jsonType {
	return jsonType{
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

// flag returns a record whose number is 1 for each output that meets the condition, else 0.
func flag(name string, condition func(source, output []string) bool) record {
	return record{name, flagType, func(m *measured) [][]float64 {
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

// problem describes inconsistent numbers, or returns "".
func (s *Sentence) problem() string {
	for _, m := range line().metrics {
		if m.problem == nil {
			continue
		}
		if problem := m.problem(s); problem != "" {
			return problem
		}
	}
	return ""
}

// WriteSentences writes sentences as JSON Lines: one object per output, one direction after the
// other. ReadSentences gets exactly the same numbers back.
func WriteSentences(w io.Writer, records [][]Sentence) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, sentences := range records {
		for i := range sentences {
			if err := enc.Encode(line().pointer(&sentences[i])); err != nil {
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
		fail := func(format string, args ...any) ([][]Sentence, error) {
			return nil, userr.New(userr.BadInput, "sentence scores %s:%d: %s; write the file again by "+
				"scoring the outputs", name, number, fmt.Sprintf(format, args...))
		}
		object := reflect.New(line().typ).Interface()
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(object); err != nil {
			return fail("the line is not the scores of one output (%v)", err)
		}
		if _, err := dec.Token(); err != io.EOF {
			return fail("something follows the object")
		}
		s := line().sentence(object)
		d := slices.IndexFunc(records, func(sentences []Sentence) bool {
			return sentences[0].From == s.From && sentences[0].To == s.To
		})
		if d < 0 {
			d, records = len(records), append(records, nil)
		}
		if problem := s.problem(); problem != "" {
			return fail("%s", problem)
		}
		if want := len(records[d]) + 1; s.Line != want {
			return fail("the next sentence from %q to %q is %d, not %d", s.From, s.To, want, s.Line)
		}
		if first := records[d]; len(first) > 0 {
			if extra, missing := s.keysNotIn(&first[0]), first[0].keysNotIn(&s); len(extra)+len(missing) > 0 {
				return fail("the sentence has the metrics %v beside those that all have, the first of its direction "+
					"has %v", extra, missing)
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

// keysNotIn returns the keys of s that the sentence other lacks, sorted.
func (s *Sentence) keysNotIn(other *Sentence) []string {
	var keys []string
	for key := range s.Numbers {
		if _, known := other.Numbers[key]; !known {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// lineType describes a struct that holds one line of a file from WriteSentences, so that a single
// call of encoding/json writes or reads a line. The fields of the struct are the style names, the
// line number, the origins and then, as pointers, the numbers of all metrics in the order of
// allMetrics.
type lineType struct {
	typ     reflect.Type
	metrics []*Metric
	records []record // fields after the first four; the record with the key judgePrefix stands for all judges
}

// line returns the only lineType.
var line = sync.OnceValue(func() *lineType {
	l := &lineType{metrics: allMetrics()}
	fields := []reflect.StructField{
		{Name: "From", Type: reflect.TypeFor[string](), Tag: `json:"from"`},
		{Name: "To", Type: reflect.TypeFor[string](), Tag: `json:"to"`},
		{Name: "Line", Type: reflect.TypeFor[int](), Tag: `json:"line"`},
		{Name: "Origins", Type: reflect.TypeFor[json.RawMessage](), Tag: `json:"origins,omitempty"`},
	}
	for _, m := range allMetrics("") { // one judge without a name stands for all judges
		for _, r := range m.records {
			key, typ := r.key, r.typ.pointer
			if key == judgePrefix {
				key, typ = strings.TrimSuffix(judgePrefix, "."), reflect.MapOf(reflect.TypeFor[string](), typ)
			}
			fields = append(fields, reflect.StructField{
				Name: fmt.Sprintf("Record%d", len(l.records)), Type: typ,
				Tag: reflect.StructTag(fmt.Sprintf("json:%q", key+",omitempty")),
			})
			l.records = append(l.records, r)
		}
	}
	l.typ = reflect.StructOf(fields)
	return l
})

// pointer converts a sentence to the struct for JSON and returns a pointer to this struct.
func (l *lineType) pointer(s *Sentence) any {
	pointer := reflect.New(l.typ)
	v := pointer.Elem()
	v.Field(0).SetString(s.From)
	v.Field(1).SetString(s.To)
	v.Field(2).SetInt(int64(s.Line))
	v.Field(3).SetBytes(s.Origins)
	for i, r := range l.records {
		f := v.Field(4 + i)
		if r.key == judgePrefix {
			for _, name := range judgesIn(s.Numbers) {
				if f.IsNil() {
					f.Set(reflect.MakeMap(f.Type()))
				}
				f.SetMapIndex(reflect.ValueOf(name), r.typ.value(s.Numbers[judgePrefix+name]))
			}
		} else if n := s.Numbers[r.key]; n != nil {
			f.Set(r.typ.value(n))
		}
	}
	return pointer.Interface()
}

// sentence returns the sentence that is stored in a struct from the method pointer.
func (l *lineType) sentence(pointer any) Sentence {
	v := reflect.ValueOf(pointer).Elem()
	var origins bytes.Buffer
	_ = json.Compact(&origins, v.Field(3).Bytes()) // cannot fail: it was parsed as JSON, or is empty
	s := Sentence{
		From: v.Field(0).String(), To: v.Field(1).String(), Line: int(v.Field(2).Int()),
		Numbers: map[string][]float64{}, Origins: origins.Bytes(),
	}
	put := func(r record, key string, value reflect.Value) {
		if n := r.typ.numbers(value); n != nil {
			s.Numbers[key] = n
		}
	}
	for i, r := range l.records {
		f := v.Field(4 + i)
		if r.key != judgePrefix {
			put(r, r.key, f)
			continue
		}
		for judge := f.MapRange(); judge.Next(); {
			put(r, judgePrefix+judge.Key().String(), judge.Value())
		}
	}
	return s
}
