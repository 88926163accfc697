package metrics

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
)

// Scores is the result of Score. Its JSON is the output of `smlm-exp score --json`.
type Scores struct {
	Metrics    Values            `json:"metrics"`    // values over all directions
	Directions []Direction       `json:"directions"` // in the order given
	Signatures map[string]string `json:"signatures"` // metric key -> how it was computed

	// FlawKeys are the keys of Flaws, for users of the JSON. The program does not read them: it
	// applies the current rules to stored scores.
	FlawKeys []string `json:"flaws,omitempty"`

	// Intervals are 95 % bootstrap intervals of Metrics, by key, if the caller computed them with
	// the function Intervals.
	Intervals map[string]Interval `json:"intervals,omitempty"`

	// Sentences are the numbers that Metrics was computed from, by direction. They are not in the
	// JSON; WriteSentences writes them.
	Sentences [][]Sentence `json:"-"`
}

// Direction holds the scores of one direction. In JSON, all scores are fields of one object.
type Direction struct {
	From, To string
	N        int // number of outputs
	Metrics  Values
	Collapse
}

// head holds the first fields of a direction's JSON.
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

// Values are the values of metrics, by key, for one direction or for all directions together.
// Unknown metrics are absent.
type Values map[string]float64

// Judges returns the sorted names of the naturalness judges if there are several.
func (v Values) Judges() []string { return judgesIn(v) }

// MarshalJSON writes the metrics in the order of allMetrics. The metrics of several naturalness
// judges are in an object "naturalness_by".
func (v Values) MarshalJSON() ([]byte, error) {
	var o object
	for _, m := range allMetrics(v.Judges()...) {
		if x, known := v[m.Key]; known {
			o.put(m.Key, x)
		}
	}
	return o.text()
}

// UnmarshalJSON reads what MarshalJSON writes and ignores unknown keys.
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

// object builds a JSON object. Fields "a.x" and "a.y" become an object "a" with the fields "x" and
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

// plainJSON is json.Marshal without HTML escaping, which is left to the outer encoder.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

// flat expands the object "naturalness_by" into keys such as "naturalness_by.x".
func flat(raw map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	outer := strings.TrimSuffix(judgePrefix, ".")
	var inner map[string]json.RawMessage
	if text, has := raw[outer]; has {
		if err := json.Unmarshal(text, &inner); err != nil {
			return nil, err
		}
	}
	all := maps.Clone(raw)
	delete(all, outer)
	for name, text := range inner {
		all[judgePrefix+name] = text
	}
	return all, nil
}
