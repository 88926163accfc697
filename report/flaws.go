package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report/table"
)

// flawedListed is the maximum number of records that a note about a flaw names.
const flawedListed = 12

// FlawsOf returns every flaw that the outputs of at least one of the records have.
func FlawsOf(records ...*Record) []*metrics.Flaw {
	return lists.Filter(metrics.AllFlaws(), func(m *metrics.Flaw) bool {
		return slices.ContainsFunc(records, func(r *Record) bool { return r.Scores != nil && r.Scores.Has(m) })
	})
}

// flawLegend returns one line of the legend per flaw: the sign in the table and what it means. The
// line ends with the text in follows, such as notRanked.
func flawLegend(flaws []*metrics.Flaw, follows string) []string {
	return lists.Map(flaws, func(f *metrics.Flaw) string { return f.Sign + ": " + f.Name + follows + "." })
}

// notRanked returns the end of the legend lines in tables that mark the best values. The parameter
// overSeeds is set if rows stand for several seeds.
func notRanked(overSeeds bool) string {
	if overSeeds {
		return " in one seed or more, not ranked"
	}
	return ", not ranked"
}

// flawRules returns, for each flaw, a sentence that says when outputs have it.
func flawRules(flaws []*metrics.Flaw) []string {
	return lists.Map(flaws, func(f *metrics.Flaw) string {
		return fmt.Sprintf("%s %s: %s.", f.Sign, capital(f.Name), f.Rule)
	})
}

// flawNotes returns a note for each flaw that any record has. The note names at most flawedListed
// records with the flaw, each with the numbers that prove it.
func flawNotes(records []*Record, withData bool) (notes []string) {
	for _, flaw := range metrics.AllFlaws() {
		var names []string
		for _, r := range records {
			if !r.Scores.Has(flaw) {
				continue
			}
			name := r.Name()
			if withData {
				name = r.Dataset() + " " + name
			}
			names = append(names, name+": "+shown(r.Scores, flaw))
		}
		if len(names) == 0 {
			continue
		}
		if more := len(names) - flawedListed; more > 0 {
			names = append(names[:flawedListed], fmt.Sprintf("and %d more", more))
		}
		notes = append(notes, fmt.Sprintf("%s %s, not ranked in any column: %s. Here: %s.",
			flaw.Sign, capital(flaw.Name), flaw.Rule, strings.Join(names, "; ")))
	}
	return notes
}

// The function shown returns the numbers that prove a flaw, such as "TST% 3.0". Most flaws have one
// number for each direction, such as "44 of 44 / 43 of 43 outputs". If there are more than two
// directions, the function returns only the worst.
func shown(s *metrics.Scores, flaw *metrics.Flaw) string {
	if flaw == metrics.LowTST {
		return "TST% " + table.Decimals(s.Metrics[flaw.Shows], 1)
	}
	text, unit, share := collapsedWord, "", func(d *metrics.Direction) float64 {
		_, share, _ := d.MostFrequentWord()
		return share
	}
	if flaw.Shows != "" {
		text = func(d *metrics.Direction) string {
			return fmt.Sprintf("%s of %s", table.Thousands(flaw.Outputs(d)), table.Thousands(d.N))
		}
		unit, share = " outputs", func(d *metrics.Direction) float64 { return float64(flaw.Outputs(d)) / float64(max(1, d.N)) }
	}
	if len(s.Directions) <= 2 {
		return strings.Join(textOfEach(s, text), sideBySide) + unit
	}
	most := &s.Directions[0]
	for k := range s.Directions {
		if d := &s.Directions[k]; share(d) > share(most) {
			most = d
		}
	}
	return text(most) + unit + " from " + most.From + " to " + most.To
}

// The function capital upper-cases the first letter of a word.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// collapsedWord returns the word that a collapsed system writes everywhere, with its share: "best"
// 98.0 %.
func collapsedWord(d *metrics.Direction) string {
	word, share, _ := d.MostFrequentWord()
	if word == "" {
		return table.Percent(share) + " %"
	}
	return `"` + word + `" ` + table.Percent(share) + " %"
}

// textOfEach calls the function text for each direction of the scores and returns the results.
func textOfEach(s *metrics.Scores, text func(*metrics.Direction) string) []string {
	each := make([]string, len(s.Directions))
	for k := range s.Directions {
		each[k] = text(&s.Directions[k])
	}
	return each
}
