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

// Sentence is what one output contributes to the values of its direction, so that they can be
// computed again of any choice of outputs without a network: Score adds these up, Intervals and
// Compare draw from them. Metrics that belong to a direction as a whole are not in it.
type Sentence struct {
	From, To string // names of the styles, as Input has them
	Line     int    // of the output in its direction, from 1

	// Numbers are by the keys of the metrics' records; what is not known is absent.
	Numbers map[string][]float64
	// Origins is JSON that says why its words are there, where that is known; no metric reads it.
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
	key string
	typ jsonType
	of  func(*measured) [][]float64 // of each output; nil: not known
}

// jsonType is how the numbers of a record are in JSON: a pointer to some type, nil where they are
// not known.
type jsonType struct {
	pointer reflect.Type
	value   func(numbers []float64) reflect.Value
	numbers func(pointer reflect.Value) []float64
}

// The types of one number: any, a whole one, and 0 or 1.
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

// flag is the record of which outputs are so beside their source.
func flag(name string, is func(source, output []string) bool) record {
	return record{name, flagType, func(m *measured) [][]float64 {
		so := make([]float64, len(m.Output))
		for i, words := range m.Output {
			if is(m.Source[i], words) {
				so[i] = 1
			}
		}
		return single(so)
	}}
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

// WriteSentences writes sentences as JSON Lines: one object an output, the directions one after the
// other. Numbers come back bit by bit.
func WriteSentences(w io.Writer, records [][]Sentence) error {
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

// ReadSentences reads a file of WriteSentences, by direction in the order of their first lines.
// Errors are userr.BadInput and name file and line.
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

// parseSentences is ReadSentences of a file's content; name is what errors call it.
func parseSentences(name string, data []byte) (records [][]Sentence, err error) {
	number := 0
	for text := range bytes.Lines(data) {
		number++
		fail := func(format string, args ...any) ([][]Sentence, error) {
			return nil, userr.New(userr.BadInput, "sentence scores %s:%d: %s; write the file again by "+
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
		d := slices.IndexFunc(records, func(of []Sentence) bool { return of[0].From == s.From && of[0].To == s.To })
		if d < 0 {
			d, records = len(records), append(records, nil)
		}
		if what := s.wrong(); what != "" {
			return fail("%s", what)
		}
		if want := len(records[d]) + 1; s.Line != want {
			return fail("the next sentence from %q to %q is %d, not %d", s.From, s.To, want, s.Line)
		}
		if first := records[d]; len(first) > 0 {
			if own, all := s.keysNotIn(&first[0]), first[0].keysNotIn(&s); len(own)+len(all) > 0 {
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

// keysNotIn returns the keys, in order, that the other lacks.
func (s *Sentence) keysNotIn(other *Sentence) []string {
	var keys []string
	for key := range s.Numbers {
		if _, has := other.Numbers[key]; !has {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// lineType is what a line of a file of sentences is in JSON: a struct of the names, the origins and
// then the records of every metric, in the order of allMetrics, each a pointer. It is made once, so
// that a line is written and read by one call of encoding/json.
type lineType struct {
	typ     reflect.Type
	all     []*Metric
	records []record // of the fields after these; the one of key byJudge is that of several judges
}

// line is the one lineType.
var line = sync.OnceValue(func() *lineType {
	l := &lineType{all: allMetrics()}
	fields := []reflect.StructField{
		{Name: "From", Type: reflect.TypeFor[string](), Tag: `json:"from"`},
		{Name: "To", Type: reflect.TypeFor[string](), Tag: `json:"to"`},
		{Name: "Line", Type: reflect.TypeFor[int](), Tag: `json:"line"`},
		{Name: "Origins", Type: reflect.TypeFor[json.RawMessage](), Tag: `json:"origins,omitempty"`},
	}
	for _, m := range allMetrics("") { // a judge without a name stands for all that have one
		for _, r := range m.records {
			key, typ := r.key, r.typ.pointer
			if key == byJudge {
				key, typ = strings.TrimSuffix(byJudge, "."), reflect.MapOf(reflect.TypeFor[string](), typ)
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

// of returns a pointer to the line of a sentence.
func (l *lineType) of(s *Sentence) any {
	pointer := reflect.New(l.typ)
	v := pointer.Elem()
	v.Field(0).SetString(s.From)
	v.Field(1).SetString(s.To)
	v.Field(2).SetInt(int64(s.Line))
	v.Field(3).SetBytes(s.Origins)
	for i, r := range l.records {
		f := v.Field(4 + i)
		if r.key == byJudge {
			for _, name := range judgesIn(s.Numbers) {
				if f.IsNil() {
					f.Set(reflect.MakeMap(f.Type()))
				}
				f.SetMapIndex(reflect.ValueOf(name), r.typ.value(s.Numbers[byJudge+name]))
			}
		} else if n := s.Numbers[r.key]; n != nil {
			f.Set(r.typ.value(n))
		}
	}
	return pointer.Interface()
}

// sentence undoes of.
func (l *lineType) sentence(pointer any) Sentence {
	v := reflect.ValueOf(pointer).Elem()
	var origins bytes.Buffer
	_ = json.Compact(&origins, v.Field(3).Bytes()) // it was read as JSON, or is not there
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
		if r.key != byJudge {
			put(r, r.key, f)
			continue
		}
		for judge := f.MapRange(); judge.Next(); {
			put(r, byJudge+judge.Key().String(), judge.Value())
		}
	}
	return s
}
