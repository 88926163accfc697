package results

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// exampleSeed draws the test sentences shown as examples, the same for every system and every run.
const exampleSeed = 1

// examples adds, for each data set, the outputs of the chosen point, for the same drawn sentences
// in both directions.
func (c *collector) examples() {
	if !c.out.wants("examples") {
		return
	}
	for _, set := range c.plan.Experiment.Datasets {
		p, which := c.out.chosen.Example(set.Name, func(p *plan.PointStages) bool {
			return slices.ContainsFunc(p.Models, func(m *plan.ModelStages) bool { return c.done(m.Transfer) })
		})
		if p == nil {
			continue
		}
		rule := fmt.Sprintf("Examples of %s: drawn by chance, of %s.", set.Name, which)
		c.out.note([]string{onPage}, rule)
		c.out.exampleRules = append(c.out.exampleRules, rule)
		for style := range 2 {
			c.direction(p, style)
		}
	}
}

// direction adds the examples that start from one style.
func (c *collector) direction(p *plan.PointStages, from int) {
	labels := c.plan.Data[p.Point.Dataset].Labels
	sources := c.lines(p.TestSet, corpus.FileName(corpus.Test, from))
	rng := rand.New(rand.NewPCG(exampleSeed, uint64(from)))
	drawn := rng.Perm(len(sources))[:min(len(sources), c.plan.Experiment.Report.Examples)]
	slices.Sort(drawn)
	type system struct {
		name           string
		mask, transfer *plan.Stage
		masked, output []string
	}
	var systems []system
	for _, m := range p.Models {
		if !c.done(m.Transfer) {
			continue
		}
		s := system{name: systemName(p, m), mask: p.MaskOf(m.Method), transfer: m.Transfer}
		s.output = c.lines(m.Transfer, fmt.Sprintf("output.%d.txt", from))
		s.masked = c.lines(m.Transfer, fmt.Sprintf("masked.%d.txt", from))
		if c.err != nil {
			return
		}
		if len(s.output) != len(sources) || len(s.masked) != len(sources) {
			c.err = fmt.Errorf("the files of %s do not have a line for each of the %d test sentences: run it again "+
				"with --force %s", m.Transfer.Title(), len(sources), m.Transfer.ID[:12])
			return
		}
		systems = append(systems, s)
	}
	for _, i := range drawn {
		for _, s := range systems {
			c.out.Examples = append(c.out.Examples, report.ExampleRow{
				Dataset: p.Point.Dataset, From: labels[from], To: labels[1-from], System: s.name,
				Source: sources[i], Masked: s.masked[i], Output: s.output[i],
			})
			c.out.shown = append(c.out.shown, shownExample{
				row: len(c.out.Examples) - 1, mask: s.mask, transfer: s.transfer, style: from,
				line: i,
			})
		}
	}
}

// lines reads a text file of a finished stage, none after an error. A line may be empty: a model
// may write nothing.
func (c *collector) lines(s *plan.Stage, name string) []string {
	if c.err != nil {
		return nil
	}
	path, err := c.ws.File(s, name)
	if err != nil {
		c.err = err
		return nil
	}
	text, err := os.ReadFile(path)
	if err == nil && len(text) == 0 {
		err = fmt.Errorf("%q is empty", path)
	}
	if err != nil {
		c.err = fmt.Errorf("reading the result of %s: %w", s.Title(), err)
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
