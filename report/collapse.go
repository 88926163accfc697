package report

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/metrics"
)

// collapsedSign marks collapsed rows.
const collapsedSign = "‡"

// collapsedListed is how many collapsed rows the note names.
const collapsedListed = 12

// collapsedNotes names the collapsed rows with their words; none: no note.
func collapsedNotes(rows []ResultRow, withData bool) []string {
	var names []string
	for i := range rows {
		if r := &rows[i]; r.Metrics.Collapsed() {
			names = append(names, r.title(withData)+": "+collapsedWord(&r.Metrics.Directions[0])+" / "+collapsedWord(&r.Metrics.Directions[1]))
		}
	}
	if len(names) == 0 {
		return nil
	}
	if more := len(names) - collapsedListed; more > 0 {
		names = append(names[:collapsedListed], fmt.Sprintf("and %d more", more))
	}
	return []string{fmt.Sprintf("%s Collapsed, and therefore neither best nor second in any column: %s. %s.",
		collapsedSign, metrics.CollapsedRule, strings.Join(names, "; "))}
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
func collapseCells(r *metrics.Scores) []Cell {
	a, b := r.Directions[0], r.Directions[1]
	return []Cell{
		{Text: share(a.CommonestNewWordShare) + " / " + share(b.CommonestNewWordShare)},
		{Text: fmt.Sprintf("%d / %d", a.DistinctNewWords, b.DistinctNewWords)},
		{Text: share(a.RepeatShare) + " / " + share(b.RepeatShare)},
	}
}
