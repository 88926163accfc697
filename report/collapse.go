package report

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// CollapsedShare is the share of one word among all new words of a direction from which on a system counts as collapsed. In the prototype that
// led to the rule, models that write one word everywhere have it in nearly all places, while it is .36 at most for models whose outputs
// are sound, and .29 for published systems.
const CollapsedShare = 0.5

// The least number of new-word occurrences of a direction of which CollapsedShare is asked: collapsedWords, in a small test set half as many as there
// are outputs, but no fewer than collapsedFewest. A model that fills every sentence with one word has one or more a sentence; one that changes
// hardly anything has a few, and the commonest of a few has a large share by chance.
const (
	collapsedWords  = 20
	collapsedFewest = 5
)

// Collapsed says whether a system writes one word nearly everywhere: whether in either direction one word is at least CollapsedShare of all new-word
// occurrences, and these number at least 20, with fewer than 40 outputs at least half as many as outputs and at least 5. TST%, BLEU and a unigram
// naturalness reward such a system. Of a report written before the occurrences were counted (a share without any) the share alone decides.
func Collapsed(r *metrics.Report) bool {
	return collapsedIn(&r.Directions[0]) || collapsedIn(&r.Directions[1])
}

func collapsedIn(d *metrics.Direction) bool {
	if d.CommonestNewWordShare < CollapsedShare {
		return false
	}
	least := max(collapsedFewest, min(collapsedWords, (d.N+1)/2))
	return d.NewWords == 0 || d.NewWords >= least
}

// collapsedSign marks collapsed rows.
const collapsedSign = "‡"

// collapsedListed is how many collapsed rows the note names.
const collapsedListed = 12

// collapsedNotes names the collapsed rows with their words; none: no note.
func collapsedNotes(rows []ResultRow, withData bool) []string {
	var names []string
	for i := range rows {
		if r := &rows[i]; Collapsed(r.Metrics) {
			names = append(names, r.title(withData)+": "+collapsedWord(&r.Metrics.Directions[0])+" / "+collapsedWord(&r.Metrics.Directions[1]))
		}
	}
	if len(names) == 0 {
		return nil
	}
	if more := len(names) - collapsedListed; more > 0 {
		names = append(names[:collapsedListed], fmt.Sprintf("and %d more", more))
	}
	return []string{fmt.Sprintf("%s Collapsed, and therefore neither best nor second in any column: one word is at least %s of all new words of a direction, "+
		"of which there are %d or more (with fewer than %d outputs: half as many as outputs, and at least %d). %s.",
		collapsedSign, share(CollapsedShare), collapsedWords, 2*collapsedWords, collapsedFewest, strings.Join(names, "; "))}
}

// collapsedWord is a word and its share: "best" .98.
func collapsedWord(d *metrics.Direction) string {
	if d.CommonestNewWord == "" {
		return share(d.CommonestNewWordShare)
	}
	return `"` + d.CommonestNewWord + `" ` + share(d.CommonestNewWordShare)
}

// title names a row in running text: "yelp SMLM (lambda_eps 0.5, seed 1)".
func (r *ResultRow) title(withData bool) string {
	var b strings.Builder
	if withData {
		b.WriteString(r.Dataset + " ")
	}
	b.WriteString(r.System)
	more := axesText(r.Axes)
	if !r.Published {
		if more != "" {
			more += ", "
		}
		more += fmt.Sprintf("seed %d", r.Seed)
	}
	if more != "" {
		b.WriteString(" (" + more + ")")
	}
	return b.String()
}

// collapseHeads are the three columns of collapse, each with the two directions beside each other.
var collapseHeads = []Column{
	{Head: "commonest\nnew word", Align: Center, key: "collapse_share"},
	{Head: "distinct\nnew words", Align: Center, key: "collapse_distinct"},
	{Head: "repeat", Align: Center, key: "collapse_repeat"},
}

// collapseCells formats them.
func collapseCells(r *metrics.Report) []Cell {
	a, b := r.Directions[0], r.Directions[1]
	return []Cell{
		{Text: share(a.CommonestNewWordShare) + " / " + share(b.CommonestNewWordShare)},
		{Text: fmt.Sprintf("%d / %d", a.DistinctNewWords, b.DistinctNewWords)},
		{Text: share(a.RepeatShare) + " / " + share(b.RepeatShare)},
	}
}
