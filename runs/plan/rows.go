package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// Row identifies a row of the table of results.
type Row struct {
	System    string
	Axes      []experiment.Axis // its swept settings; also masks and decoding if there are several
	Seed      uint64
	Published bool // it has no seed
}

// Row returns the row of a model's outputs with their score. Points that share the score share the
// row, which has only the settings on which they agree.
func (p *PointStages) Row(m *ModelStages, score *Stage) Row {
	axes := score.Agreed()
	if len(p.Point.Settings.Masking.TrainOn) > 1 {
		axes = append(axes, experiment.Axis{Key: "masking", Value: string(m.Method)})
	}
	if len(p.Point.Settings.SMLM.Decoding) > 1 {
		axes = append(axes, experiment.Axis{Key: "decoding", Value: string(m.Decoding)})
	}
	return Row{System: SystemNames[m.Model], Axes: axes, Seed: p.Point.Seed}
}

// PublishedRow returns the row of a published system. Its rows differ in the settings of the
// instruments.
func (p *Plan) PublishedRow(of PublishedRow) Row {
	axes := slices.DeleteFunc(of.Score.Agreed(), func(a experiment.Axis) bool {
		return !p.Experiment.Varies(of.Dataset, a.Key)
	})
	return Row{System: of.System, Axes: axes, Published: true}
}

// Settings returns the settings of a row, with its seed.
func (r *Row) Settings() []experiment.Axis {
	if r.Published {
		return r.Axes
	}
	return append(slices.Clip(r.Axes), experiment.Axis{Key: "seed", Value: strconv.FormatUint(r.Seed, 10)})
}

// Name is the name of a row in tables, with or without its seed, and with additions: "SMLM
// (lambda_eps 0.5, guided)".
func (r *Row) Name(withSeed bool, more ...string) string {
	settings := r.Axes
	if withSeed {
		settings = r.Settings()
	}
	words := append(lists.Map(settings, func(a experiment.Axis) string {
		if a.NamesSystem() {
			return a.Value
		}
		return a.Text()
	}), more...)
	if len(words) == 0 {
		return r.System
	}
	return r.System + " (" + strings.Join(words, ", ") + ")"
}

// Named returns the indices of the rows that a name matches: a system, "SMLM-FT", or a system with
// some of its settings, "SMLM-FT:lambda_eps=0.5", or as tables and messages print them, "SMLM-FT
// (guided, lambda_eps 0.5)". An exact match of the system wins over a match in another letter case.
func Named(rows []Row, name string) (found []int) {
	system, settings, _ := strings.Cut(name, ":")
	for _, means := range []func(*Row) bool{
		func(r *Row) bool { return r.System == system && r.has(settings) },
		// smlm-ft, as in experiment files and --model
		func(r *Row) bool { return strings.EqualFold(r.System, system) && r.has(settings) },
		func(r *Row) bool { return r.printedAs(name) },
	} {
		for i := range rows {
			if means(&rows[i]) {
				found = append(found, i)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// OfSystem reports whether a name, as for Named, can name a row of the system.
func OfSystem(name, system string) bool {
	_, is := behindSystem(name, system)
	return is
}

// behindSystem returns what follows the system in a name, and whether the name is one of this
// system.
func behindSystem(name, system string) (rest string, is bool) {
	if len(name) < len(system) || !strings.EqualFold(name[:len(system)], system) {
		return "", false
	}
	rest = strings.TrimLeft(name[len(system):], " "+signs)
	return rest, rest == "" || strings.ContainsAny(rest[:1], "(,:")
}

// has reports whether a row has all settings of "KEY=VALUE,KEY=VALUE".
func (r *Row) has(settings string) bool {
	for part := range strings.SplitSeq(settings, ",") {
		if part != "" && !slices.ContainsFunc(r.Settings(), func(a experiment.Axis) bool { return assigns(part, "=", a) }) {
			return false
		}
	}
	return true
}

// assigns reports whether part is the key of a setting, the separator and the value.
func assigns(part, separator string, a experiment.Axis) bool {
	value, is := strings.CutPrefix(part, a.Key+separator)
	return is && sameValue(value, a.Value)
}

// sameValue reports whether two values are equal as text or as numbers, such as "1" and "1.0".
func sameValue(a, b string) bool {
	x, err := strconv.ParseFloat(a, 64)
	y, other := strconv.ParseFloat(b, 64)
	return a == b || err == nil && other == nil && x == y
}

// printedAs reports whether tables and messages may print a row by this name: its system and, in
// parentheses or after commas, some of its settings, as values, "guided", or with their keys,
// "lambda_eps 0.5". Signs of flaws and numbers of seeds are allowed.
func (r *Row) printedAs(name string) bool {
	rest, is := behindSystem(name, r.System)
	if !is {
		return false
	}
	parts := strings.FieldsFunc(rest, func(c rune) bool { return strings.ContainsRune("(),:"+signs, c) })
	return !slices.ContainsFunc(parts, func(part string) bool {
		part = strings.TrimSpace(part)
		var seeds int
		if n, err := fmt.Sscanf(part, "%d seed", &seeds); n == 1 && err == nil {
			return false
		}
		return part != "" && !slices.ContainsFunc(r.Settings(), func(a experiment.Axis) bool {
			return part == a.Text() || sameValue(part, a.Value) || assigns(part, "=", a) || assigns(part, " ", a)
		})
	})
}

// signs are the signs that may follow a system's name in a table.
var signs = metrics.Signs(metrics.AllFlaws()) + "†*"

// mostNames is the number of rows that a message lists.
const mostNames = 8

// Listed formats names of rows as choices in a sentence. Of many it lists the first.
func Listed(names []string) string {
	if more := len(names) - mostNames; more > 0 {
		return fmt.Sprintf("%s, or one of %d others in the table of results", wording.Choice(names[:mostNames]), more)
	}
	return wording.Choice(names)
}

// rows returns the rows that the table of results will have.
func (p *Plan) rows() (rows []Row) {
	for _, point := range p.Points {
		for _, m := range point.Models {
			rows = append(rows, point.Row(m, m.Score))
		}
	}
	for _, of := range p.Published {
		rows = append(rows, p.PublishedRow(of))
	}
	return rows
}

// checkAgainst returns an error if report.against matches no future row, before anything is
// trained.
func (p *Plan) checkAgainst() error {
	against, place := p.Experiment.Report.Against, p.Experiment.Place("report.against")
	if against == "" {
		return nil
	}
	rows := p.rows()
	switch {
	case len(rows) == 0:
		return userr.New(userr.BadInput, "%s: report.against names %q, but the experiment has no system: remove the key",
			place, against)
	case len(Named(rows, against)) > 0:
		return nil
	}
	var names []string
	for i := range rows {
		names = lists.AddOnce(names, rows[i].Name(false))
	}
	return userr.New(userr.BadInput, "%s: report.against names %q, but the experiment has no such row: use %s", place,
		against, Listed(wording.ByNearness(against, names)))
}
