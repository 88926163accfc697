package results

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// What stands in the README.md of a model that is handed on, and of outputs that are published.

// WriteData writes the section on a data set of a plan: its sentences by style, and its licence.
func WriteData(w io.Writer, p *plan.Plan, dataset string) error {
	sets := p.Experiment.Datasets
	set := sets[slices.IndexFunc(sets, func(s *experiment.Dataset) bool { return s.Name == dataset })]
	rows := datasetRows(p, set)
	for i := range rows {
		rows[i].Paper = [3]int{}
	}
	t := report.Datasets(rows, report.About{})
	t.Title = "Data: " + set.Name
	if err := t.Write(w, "markdown"); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return table.MarkdownList(w, []string{"Licence of the data: " + licenceOf(set)})
}

// licenceFiles are what a licence is called in folders of data.
var licenceFiles = []string{corpus.LicenceFile, "LICENSE.txt", "LICENCE", "LICENSE", "LICENSE.md"}

// longestLicence is how many characters of a licence a README.md shows.
const longestLicence = 300

// licenceOf says in a sentence what may be done with the data.
func licenceOf(set *experiment.Dataset) string {
	text := set.Licence
	if text == "" && set.Builtin != "" {
		return "none is needed, as the program invents this corpus."
	}
	if text == "" && set.Dir != "" {
		for _, name := range licenceFiles {
			if raw, err := files.ReadSmall(filepath.Join(set.Dir, name)); err == nil {
				if text = strings.TrimSpace(wording.FirstLine(strings.TrimSpace(string(raw)))); text != "" {
					break
				}
			}
		}
	}
	if text == "" {
		return "not recorded: state it before you publish (key datasets." + set.Name + ".licence)."
	}
	return strings.TrimSuffix(wording.Clip(wording.VisibleLine(text), longestLicence), ".") + "."
}

// ScoresOf returns the scores of a finished score of a plan with what stands beside them, nil where
// it is not finished.
func ScoresOf(p *plan.Plan, ws *workspace.Workspace, score *plan.Stage) (*metrics.Scores, error) {
	c := &collector{
		plan: p, ws: ws, reports: map[*plan.Stage]*metrics.Scores{}, content: newContent(),
		out: &Results{plan: p, ws: ws},
	}
	if !c.done(score) {
		return nil, nil
	}
	scores, _ := c.joined(score)
	return scores, c.err
}

// Shown are the scores that a card shows: those of the table of results.
func Shown(s *metrics.Scores) *metrics.Scores {
	out := &metrics.Scores{Metrics: metrics.Values{}, Signatures: map[string]string{}, Intervals: s.Intervals}
	out.Directions = slices.Clone(s.Directions)
	for k := range out.Directions {
		out.Directions[k].Metrics = metrics.Values{}
	}
	keep := func(key string) {
		if v, known := s.Metrics[key]; known {
			out.Metrics[key] = v
		}
		for k, d := range s.Directions {
			if v, known := d.Metrics[key]; known {
				out.Directions[k].Metrics[key] = v
			}
		}
		if signed, known := s.Signatures[key]; known {
			out.Signatures[key] = signed
		}
	}
	for _, m := range metrics.Columns() {
		if (m.Group == metrics.GroupResults || m.Group == metrics.GroupFluency) && !m.Aside {
			keep(m.Key)
		}
	}
	for _, f := range metrics.AllFlaws() { // which Score counts by these
		keep(f.Shows)
	}
	if signed, known := s.Signatures["collapse"]; known {
		out.Signatures["collapse"] = signed
	}
	return out
}

// Limits are what numbers do not say of outputs, for whoever has only the numbers; with the flaws
// that some scores show, nil where there are none.
func Limits(scores *metrics.Scores) []string {
	limits := []string{
		"A classifier computes TST%. People who read outputs agree with it less often than the number suggests: read some " +
			"outputs before you rely on it.",
		"BLEU compares words. It does not see whether an output keeps the meaning of its source.",
		"Naturalness and perplexity look at words and their neighbours. They do not see nonsense in common words, and " +
			"they reward sentences that are left unchanged.",
		"A number may be compared only with numbers that have the same signature.",
	}
	if scores == nil {
		return limits
	}
	for _, f := range scores.Flaws() {
		limits = append(limits, fmt.Sprintf("This system is %s, so its numbers do not rank it: %s.", f.Name, f.Rule))
	}
	return limits
}
