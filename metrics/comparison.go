package metrics

import (
	"encoding/json"
	"math"
)

// Interval is a figure with its 95 % bootstrap interval.
type Interval struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// Comparison sets two systems beside each other in one metric, on the same sentences.
type Comparison struct {
	Metric         string  `json:"metric"` // its key in Metrics' JSON
	A              float64 `json:"a"`
	B              float64 `json:"b"`
	Difference     float64 `json:"difference"`      // A - B
	Low            float64 `json:"low"`             // 95 % bootstrap interval of the difference; both NaN, which JSON has not, where a direction has too few sentences
	High           float64 `json:"high"`            //
	PBootstrap     float64 `json:"p_bootstrap"`     // two-sided, paired bootstrap (Koehn 2004)
	PRandomisation float64 `json:"p_randomisation"` // two-sided, approximate randomisation (Noreen 1989; Riezler and Maxwell 2005)
}

// MarshalJSON leaves the interval out where there is none: Low and High are then not numbers.
func (c Comparison) MarshalJSON() ([]byte, error) {
	type plain Comparison
	with := struct {
		plain
		Low  *float64 `json:"low,omitempty"`
		High *float64 `json:"high,omitempty"`
	}{plain: plain(c)}
	if !math.IsNaN(c.Low) && !math.IsNaN(c.High) {
		with.Low, with.High = &c.Low, &c.High
	}
	return json.Marshal(with)
}

// Different says whether both tests call the difference significant at level alpha.
func (c Comparison) Different(alpha float64) bool {
	return c.PBootstrap < alpha && c.PRandomisation < alpha
}
