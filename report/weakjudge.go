package report

import (
	"fmt"
	"math"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Judge is a classifier that measures style, and what it makes of human sentences.
type Judge struct {
	Measures  string // the columns: "TST%"
	Dataset   string
	Axes      []Axis  // the swept settings
	Split     string  // whose sentences these are: "test"
	Accuracy  float64 // percent, on them
	Sentences int
	Majority  float64 // percent, of the larger class
}

// leastAccuracy is what a judge must reach: below it one output in four or more is misjudged.
const leastAccuracy = 75

// Weak tells whether what the judge says of outputs means little: it is right in less than
// leastAccuracy of the human sentences, or the 95 % interval of its accuracy (Wilson 1927) holds
// the share of the larger class, which a judge reaches that looks at nothing.
func (j *Judge) Weak() bool {
	return j.Accuracy < leastAccuracy || 100*wilsonLow(j.Accuracy/100, j.Sentences) <= j.Majority
}

// wilsonLow is the lower end of the 95 % score interval of a share p of n.
func wilsonLow(p float64, n int) float64 {
	const z = 1.959964 // the 97.5 % point of the normal distribution
	m := float64(max(n, 1))
	return (p + z*z/(2*m) - z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))) / (1 + z*z/m)
}

// Warning says what to think of columns that a weak judge measures.
func (j *Judge) Warning() string {
	at := j.Dataset
	if len(j.Axes) > 0 {
		at += " (" + axesText(j.Axes) + ")"
	}
	return fmt.Sprintf("%s of %s: the classifier that computes it is right on only %s %% of %s human %s %s "+
		"(always answering the larger class: %s %%).", j.Measures, at, table.Decimals(j.Accuracy, 1), table.Thousands(j.Sentences), j.Split,
		wording.Plural(j.Sentences, "sentence"),
		table.Decimals(j.Majority, 1))
}
