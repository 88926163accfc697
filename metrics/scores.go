package metrics

import (
	"bytes"
	"encoding/json"
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

// UnmarshalJSON reads the metrics in a JSON object. It ignores other keys, such as those of a
// Direction.
func (v *Values) UnmarshalJSON(text []byte) error {
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	*v = Values{}
	for _, m := range allMetrics() {
		if x, known := object[m.Key].(float64); known {
			(*v)[m.Key] = x
		}
	}
	return nil
}

// plainJSON is json.Marshal without HTML escaping, which is left to the outer encoder.
func plainJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}
