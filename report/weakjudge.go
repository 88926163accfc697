package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// A Judge is a style classifier that computes columns of tables, with its accuracy on human
// sentences.
type Judge struct {
	Measures  string // the columns that the classifier computes: "TST%"
	Dataset   string
	Axes      []Axis  // swept settings
	Split     string  // split of the human sentences: "test"
	Accuracy  float64 // on the human sentences, in percent
	Sentences int
	Majority  float64 // share of the larger class, in percent
}

// minAccuracy is the accuracy, in percent, that a judge must reach: at most one sentence in four is
// misjudged.
const minAccuracy = 75

// Weak reports whether the judge is too inaccurate to be trusted. It is if its accuracy is below
// minAccuracy. It also is if the lower end of the accuracy's 95 % interval (Wilson 1927) is not
// above the share of the larger class, because a classifier that always answers this class would be
// as accurate.
func (j *Judge) Weak() bool {
	return j.Accuracy < minAccuracy || 100*wilsonLow(j.Accuracy/100, j.Sentences) <= j.Majority
}

// wilsonLow returns the lower end of Wilson's 95 % score interval for a share p of n observations.
func wilsonLow(p float64, n int) float64 {
	const z = 1.959964 // the 97.5 % point of the normal distribution
	m := float64(max(n, 1))
	return (p + z*z/(2*m) - z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))) / (1 + z*z/m)
}

// Warning returns a sentence that says why the columns that a weak judge computes mean little.
func (j *Judge) Warning() string {
	at := j.Dataset
	if len(j.Axes) > 0 {
		at += " (" + strings.Join(lists.Map(j.Axes, Axis.Text), ", ") + ")"
	}
	return fmt.Sprintf("%s of %s: the classifier that computes it recognises %s %% of %s human %s %s, "+
		"too few to trust it (always answering the larger class: %s %%).", j.Measures, at, table.Decimals(j.Accuracy, 1), table.Thousands(j.Sentences), j.Split,
		wording.Plural(j.Sentences, "sentence"),
		table.Decimals(j.Majority, 1))
}
