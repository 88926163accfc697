package metrics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// lineType is what a line of a file of sentences is in JSON: a struct of the names, the origins and
// then the records of every metric, in the order of All, each a pointer. It is made once, so that a
// line is written and read by one call of encoding/json.
type lineType struct {
	typ     reflect.Type
	all     []*Metric
	records []record // of the fields after these; the one of key byJudge is that of several judges
}

// line is the one lineType.
var line = sync.OnceValue(func() *lineType {
	l := &lineType{all: All()}
	fields := []reflect.StructField{
		{Name: "From", Type: reflect.TypeFor[string](), Tag: `json:"from"`},
		{Name: "To", Type: reflect.TypeFor[string](), Tag: `json:"to"`},
		{Name: "Line", Type: reflect.TypeFor[int](), Tag: `json:"line"`},
		{Name: "Origins", Type: reflect.TypeFor[json.RawMessage](), Tag: `json:"origins,omitempty"`},
	}
	for _, m := range All("") { // a judge without a name stands for all that have one
		for _, r := range m.records {
			key, typ := r.key, r.kind.pointer
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
				f.SetMapIndex(reflect.ValueOf(name), r.kind.value(s.Numbers[ByJudge(name)]))
			}
		} else if n := s.Numbers[r.key]; n != nil {
			f.Set(r.kind.value(n))
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
		if n := r.kind.numbers(value); n != nil {
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
			put(r, ByJudge(judge.Key().String()), judge.Value())
		}
	}
	return s
}
