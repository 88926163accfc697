package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// Judge is a style classifier and its accuracy on human sentences.
type Judge struct {
	Measures  string // the columns that it computes: "TST%"
	Dataset   string
	Axes      []Axis  // the swept settings
	Split     string  // the split that the sentences are from: "test"
	Accuracy  float64 // percent, on these sentences
	Sentences int
	Majority  float64 // percent, share of the larger class
}

// minAccuracy is the accuracy in percent that a judge must reach. Below it, more than one
// sentence in four is misjudged.
const minAccuracy = 75

// Weak reports whether the judge is too inaccurate to trust: its accuracy is below minAccuracy,
// or the lower end of its 95 % interval (Wilson 1927) is not above the share of the larger class,
// which a constant answer reaches.
func (j *Judge) Weak() bool {
	return j.Accuracy < minAccuracy || 100*wilsonLow(j.Accuracy/100, j.Sentences) <= j.Majority
}

// wilsonLow returns the lower end of the 95 % score interval of a share p of n.
func wilsonLow(p float64, n int) float64 {
	const z = 1.959964 // the 97.5 % point of the normal distribution
	m := float64(max(n, 1))
	return (p + z*z/(2*m) - z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))) / (1 + z*z/m)
}

// Warning says why the columns of a weak judge mean little.
func (j *Judge) Warning() string {
	at := j.Dataset
	if len(j.Axes) > 0 {
		at += " (" + strings.Join(lists.Map(j.Axes, Axis.Text), ", ") + ")"
	}
	return fmt.Sprintf("%s of %s: the classifier that computes it is right on only %s %% of %s human %s %s "+
		"(always answering the larger class: %s %%).", j.Measures, at, table.Decimals(j.Accuracy, 1), table.Thousands(j.Sentences), j.Split,
		wording.Plural(j.Sentences, "sentence"),
		table.Decimals(j.Majority, 1))
}
