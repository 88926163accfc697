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

// Collapsed says whether a system writes one word nearly everywhere, by CollapsedShare. TST%, BLEU and a unigram naturalness reward that.
func Collapsed(r *metrics.Report) bool {
	return r.Directions[0].CommonestNewWordShare >= CollapsedShare || r.Directions[1].CommonestNewWordShare >= CollapsedShare
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
	return []string{fmt.Sprintf("%s Collapsed, and therefore neither best nor second in any column: one word is at least %s of all new words of a direction. %s.",
		collapsedSign, share(CollapsedShare), strings.Join(names, "; "))}
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
