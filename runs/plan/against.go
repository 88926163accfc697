package plan

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// checkAgainst refuses a report.against that no row will be of, before anything is trained.
func (p *Plan) checkAgainst() error {
	against, place := p.Experiment.Report.Against, p.Experiment.Place("report.against")
	system, _, _ := strings.Cut(against, ":")
	if against == "" {
		return nil
	}
	var names []string
	add := func(name string) { names = lists.AddOnce(names, name) }
	for _, point := range p.Points {
		for _, m := range point.Models {
			add(SystemNames[m.Model])
		}
	}
	for _, row := range p.Published {
		add(row.System)
	}
	if p.Experiment.Search != nil { // published systems get their rows when a point is chosen
		for _, d := range p.Data {
			for _, s := range d.Systems {
				add(s.Name)
			}
			add(stages.HumanReferences)
		}
	}
	if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, system) }) {
		return nil
	}
	if len(names) == 0 {
		return userr.New(
			userr.BadInput, "%s: report.against names %q, but the experiment has no system: take the key out", place, system,
		)
	}
	return userr.New(userr.BadInput, "%s: report.against names %q, but the experiment has no such system: use one "+
		"of %s, with settings where it has several rows (%q)",
		place, system, wording.Choice(names), names[0]+":seed=1")
}
