package plan

import (
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Record returns a report.Record, still without scores, for the outputs that the stage scores. The
// record contains a swept setting only if the setting has the same value at all points of the sweep
// that share the stage. If settings of the models that measure are swept, a published system has
// several records, which differ in these settings.
func (s *Stage) Record() *report.Record {
	p, settings := s.Points[0], s.Agreed()
	axes := func(system string) []experiment.Axis {
		return []experiment.Axis{{Key: report.Dataset, Value: p.Dataset}, {Key: report.System, Value: system}}
	}
	if s.Name == stages.Published {
		varies := func(a experiment.Axis) bool { return p.Study.Experiment.Varies(p.Dataset, a.Key) }
		r := &report.Record{
			From: report.FromSystems, Kind: report.Published,
			Axes: append(axes(p.System.Name), lists.Filter(settings, varies)...),
		}
		if p.System.Name == data.References {
			r.Kind = report.People
		}
		return r
	}
	if len(p.Settings.Masking.TrainOn) > 1 {
		settings = append(settings, experiment.Axis{Key: "masking", Value: string(p.Method)})
	}
	if len(p.Settings.SMLM.Decoding) > 1 {
		settings = append(settings, experiment.Axis{Key: "decoding", Value: string(p.Decoding)})
	}
	r := &report.Record{From: report.FromSystems, Axes: append(axes(data.SystemName(p.Model)), settings...)}
	if r.Axes = append(r.Axes, report.SeedAxis(p.Seed)); p.OfDev() {
		r.From = report.FromSelection
	}
	return r
}

// records returns the records of the rows that the table of results will have.
func (p *Plan) records() []*report.Record {
	scores := lists.Filter(p.Named(stages.Score, stages.Published), func(s *Stage) bool { return !s.Points[0].OfDev() })
	return lists.Map(scores, (*Stage).Record)
}

// checkAgainst returns an error if report.against matches no row that the table of results will
// have. This check comes before anything is trained.
func (p *Plan) checkAgainst() error {
	against, place := p.Experiment.Report.Against, p.Experiment.Place("report.against")
	if against == "" {
		return nil
	}
	records := p.records()
	switch {
	case len(records) == 0:
		return userr.New(userr.BadInput, "%s: report.against names %q, but the experiment has no system: remove the key",
			place, against)
	case len(report.Named(records, against)) > 0:
		return nil
	}
	names := lists.AddOnce(nil, lists.Map(records, func(r *report.Record) string { return r.Name(report.Seed) })...)
	return userr.New(userr.BadInput, "%s: report.against names %q, but the experiment has no such row: use %s", place,
		against, report.Listed(wording.ByNearness(against, names)))
}
