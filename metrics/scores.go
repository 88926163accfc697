package metrics

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
)

// Scores is what Score finds. Its JSON is that of `smlm-exp score --json`.
type Scores struct {
	Metrics    Values            `json:"metrics"`    // all directions
	Directions []Direction       `json:"directions"` // in the order given
	Signatures map[string]string `json:"signatures"` // key of a metric -> how it was computed

	// FlawKeys are the keys of Flaws, for readers of the JSON: nothing here reads them, so that a
	// finished score is judged by the rule of today.
	FlawKeys []string `json:"flaws,omitempty"`

	// Intervals are 95 % bootstrap intervals of Metrics, by key, where the caller computed them
	// (func Intervals).
	Intervals map[string]Interval `json:"intervals,omitempty"`

	// Sentences are what Metrics was computed of, by direction; not in the JSON: WriteSentences
	// writes them.
	Sentences [][]Sentence `json:"-"`
}

// Direction are the scores of one direction. In JSON its metrics stand beside the rest.
type Direction struct {
	From, To string
	N        int // number of outputs
	Metrics  Values
	Collapse
}

// head is what begins the JSON of a direction.
type head struct {
	From string `json:"from"`
	To   string `json:"to"`
	N    int    `json:"n"`
}

// MarshalJSON writes the direction as one object.
func (d Direction) MarshalJSON() ([]byte, error) {
	var out []byte
	for _, part := range []any{head{d.From, d.To, d.N}, d.Metrics, d.Collapse} {
		text, err := plainJSON(part)
		if err != nil {
			return nil, err
		}
		if inner := bytes.TrimSpace(text); len(inner) > 2 {
			out = append(append(out, ','), inner[1:len(inner)-1]...)
		}
	}
	out[0] = '{'
	return append(out, '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (d *Direction) UnmarshalJSON(text []byte) error {
	var h head
	for _, part := range []any{&h, &d.Metrics, &d.Collapse} {
		if err := json.Unmarshal(text, part); err != nil {
			return err
		}
	}
	d.From, d.To, d.N = h.From, h.To, h.N
	return nil
}

// Values are metrics of one direction or of all, by their keys; one that is not known is absent.
// "Against the sources" compares outputs with the sentences they were made of.
type Values map[string]float64

// Judges returns the names of the judges of naturalness, in order, where there are several.
func (v Values) Judges() []string { return judgesIn(v) }

// MarshalJSON writes the metrics in the order of allMetrics. Those of several judges are an object
// of their own: "naturalness_by".
func (v Values) MarshalJSON() ([]byte, error) {
	var o object
	for _, m := range allMetrics(v.Judges()...) {
		if x, known := v[m.Key]; known {
			o.put(m.Key, x)
		}
	}
	return o.text()
}

// UnmarshalJSON reads what MarshalJSON writes; keys of no metric are passed over.
func (v *Values) UnmarshalJSON(text []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	raw, err := flat(raw)
	if err != nil {
		return err
	}
	*v = Values{}
	for _, m := range allMetrics(judgesIn(raw)...) {
		var x *float64
		if value, known := raw[m.Key]; known {
			if err := json.Unmarshal(value, &x); err != nil {
				return err
			}
		}
		if x != nil {
			(*v)[m.Key] = *x
		}
	}
	return nil
}

// object is a JSON object in the making. Fields "a.x" and "a.y" become an object "a" of "x" and
// "y".
type object struct{ fields []field }

type field struct {
	key   string
	value any
}

func (o *object) put(key string, value any) {
	key, inner, nested := strings.Cut(key, ".")
	if !nested {
		o.fields = append(o.fields, field{key, value})
		return
	}
	if last := len(o.fields) - 1; last < 0 || o.fields[last].key != key {
		o.fields = append(o.fields, field{key, map[string]any{}})
	}
	o.fields[len(o.fields)-1].value.(map[string]any)[inner] = value
}

func (o *object) text() ([]byte, error) {
	out := []byte("{")
	for i, f := range o.fields {
		if i > 0 {
			out = append(out, ',')
		}
		for k, part := range []any{f.key, f.value} {
			text, err := plainJSON(part)
			if err != nil {
				return nil, err
			}
			out = append(out, bytes.TrimSpace(text)...)
			if k == 0 {
				out = append(out, ':')
			}
		}
	}
	return append(out, '}'), nil
}

// plainJSON is json.Marshal that leaves "<" and "&" as they are: who writes the whole decides that.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// flat undoes what object does to the keys of several judges.
func flat(raw map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	outer := strings.TrimSuffix(byJudge, ".")
	var inner map[string]json.RawMessage
	if text, has := raw[outer]; has {
		if err := json.Unmarshal(text, &inner); err != nil {
			return nil, err
		}
	}
	all := maps.Clone(raw)
	delete(all, outer)
	for name, text := range inner {
		all[byJudge+name] = text
	}
	return all, nil
}
