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
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// What stands in the README.md of outputs that are published.

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
	return table.MarkdownList(w, []string{"Licence of the data: " + LicenceOf(set)})
}

// licenceFiles are what a licence is called in folders of data.
var licenceFiles = []string{corpus.LicenceFile, "LICENSE.txt", "LICENCE", "LICENSE", "LICENSE.md"}

// longestLicence is how many characters of a licence a README.md shows.
const longestLicence = 300

// LicenceOf says in a sentence what may be done with the data.
func LicenceOf(set *experiment.Dataset) string {
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

// limits are what numbers do not say of outputs, for readers who have only the numbers.
var limits = []string{
	"A classifier computes TST%. People who read outputs agree with it less often than the number suggests: read some " +
		"outputs before you rely on it.",
	"BLEU compares words. It does not see whether an output keeps the meaning of its source.",
	"Naturalness and perplexity look at words and their neighbours. They do not see nonsense in common words, and " +
		"they reward sentences that are left unchanged.",
	"A number may be compared only with numbers that have the same signature.",
}
