package report

import (
	"encoding/json"
	"io"
)

type jsonSentence struct {
	Words       []string     `json:"words"`
	Style       string       `json:"style"`
	Probability float64      `json:"probability"` // of the style, by the model of the first method
	Methods     []jsonMethod `json:"methods"`
}

type jsonMethod struct {
	Method    string    `json:"method"`
	Threshold *float64  `json:"threshold"` // null: the policy has none
	Scores    []float64 `json:"scores"`
	Margins   []float64 `json:"margins,omitempty"` // score - threshold
	Masked    []bool    `json:"masked"`
}

// json writes an object on a line.
func (s *Sentence) json(w io.Writer) error {
	out := jsonSentence{Words: s.Words, Style: s.Style, Probability: s.Probability}
	for _, m := range s.Methods {
		j := jsonMethod{Method: m.Name, Scores: m.Scores, Masked: m.Masked}
		if m.Threshold > 0 {
			j.Threshold = &m.Threshold
			for _, v := range m.Scores {
				j.Margins = append(j.Margins, v-m.Threshold)
			}
		}
		out.Methods = append(out.Methods, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(out)
}
