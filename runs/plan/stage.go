package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Stage is a node of the graph. ID is the sha256 of the canonical JSON of name, version, settings
// and the inputs' IDs. Equal stages are one stage, however many points of a sweep need them.
type Stage struct {
	Name     stage.Name
	ID       string
	Settings any               // what matters to this stage: a struct of package stages that becomes JSON
	Inputs   map[string]*Stage // by the names in stage.Definition
	// Sources are absolute paths outside the workspace that the stage reads, by name (see
	// stage.Job). They are not part of the identity.
	Sources map[string]string
	// Label distinguishes the stage from similar ones, for people: "lambda_eps 0.15, seed 2". May
	// be "".
	Label string

	settings []byte   // see SettingsJSON; nil if the stage has no identity
	uses     []use    // who needs it
	content  []*Stage // see Content
}

// SettingsJSON returns Settings as the canonical JSON that is part of the identity. The caller must
// not change it: stages of a plan with equal settings share one slice.
func (s *Stage) SettingsJSON() ([]byte, error) {
	if s.settings != nil {
		return s.settings, nil
	}
	return Canonical(s.Settings)
}

// Precision returns the precision in the settings of a training, or "" for other stages.
func (s *Stage) Precision() string {
	if t, ok := s.Settings.(interface{ InPrecision() string }); ok {
		return t.InPrecision()
	}
	return ""
}

// Needs reports whether one of these stages is an input of s.
func (s *Stage) Needs(these map[*Stage]bool) bool {
	for _, in := range s.Inputs {
		if these[in] {
			return true
		}
	}
	return false
}

// use is one reason for a stage to be in the plan. Empty fields do not apply.
type use struct {
	point     *experiment.Point
	method    policy.Method
	model     string
	system    string
	decoding  string
	lambdaCon *float64
	split     string // dev for a selection; test for masks
}

// label labels every stage with what distinguishes it from similar ones. A swept value, a seed or a
// method is part of the label if all points that share the stage agree on it and the plan has
// others.
func (b *builder) label() {
	e := b.plan.Experiment
	severalMethods, severalLambdas, varies := b.severalMethods(), b.severalLambdas(), b.varies()
	for _, s := range b.plan.Stages {
		uses := s.uses
		var parts []string
		add := func(prefix string, several bool, of func(use) string) {
			if v, agreed := common(uses, of); several && agreed && v != "" {
				parts = append(parts, prefix+v)
			}
		}
		add("", len(e.Datasets) > 1, func(u use) string { return u.point.Dataset })
		add("", true, func(u use) string { return u.system })
		add("", s.ofModel(), func(u use) string { return u.model })
		add("", severalDecodings(uses), func(u use) string { return u.decoding })
		add("", true, func(u use) string { return u.split })
		add("", severalMethods, func(u use) string { return string(u.method) })
		ofDivLSTM := s.Name == stages.DivLSTM || s.Name == stages.Accuracy && s.Inputs["model"].Name == stages.DivLSTM
		add("lambda_con ", ofDivLSTM && severalLambdas, lambdaConOf)
		for _, a := range uses[0].point.Axes {
			if ofDivLSTM && a.Key == "lambda_con" {
				continue // added above, with the 0 of vanilla attention
			}
			add(
				a.Key+" ", varies[[2]string{uses[0].point.Dataset, a.Key}],
				func(u use) string { return recipe.AxisValue(u.point.Axes, a.Key) },
			)
		}
		add("seed ", len(e.Seeds) > 1, func(u use) string { return strconv.FormatUint(u.point.Seed, 10) })
		s.Label = strings.Join(parts, ", ")
	}
}

// ofModel reports whether the stage uses a trained model or its outputs. Its label then names the
// model.
func (s *Stage) ofModel() bool { return s.Inputs["model"] != nil || s.Inputs["transfer"] != nil }

// common calls of for every use. It returns the value if it is the same for all, else false.
func common(uses []use, of func(use) string) (string, bool) {
	v := of(uses[0])
	for _, u := range uses[1:] {
		if of(u) != v {
			return "", false
		}
	}
	return v, true
}

func lambdaConOf(u use) string {
	if u.lambdaCon == nil {
		return ""
	}
	return strconv.FormatFloat(*u.lambdaCon, 'g', -1, 64)
}

// severalDecodings reports whether a point that needs the stage has more than one decoding.
func severalDecodings(uses []use) bool {
	return slices.ContainsFunc(uses, func(u use) bool { return len(u.point.Settings.SMLM.Decoding) > 1 })
}

func (b *builder) severalMethods() bool {
	return slices.ContainsFunc(
		b.plan.Points, func(p *PointStages) bool { return len(p.Point.Settings.Masking.Methods) > 1 },
	)
}

// varies returns Experiment.Varies for each data set and key.
func (b *builder) varies() map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, p := range b.plan.Points {
		for _, a := range p.Point.Axes {
			at := [2]string{p.Point.Dataset, a.Key}
			if _, known := out[at]; !known {
				out[at] = b.plan.Experiment.Varies(p.Point.Dataset, a.Key)
			}
		}
	}
	return out
}

func (b *builder) severalLambdas() bool {
	seen := map[float64]bool{}
	for _, p := range b.plan.Points {
		for _, m := range p.Masks {
			seen[m.LambdaCon] = true
		}
	}
	return len(seen) > 1
}

// Agreed returns the swept keys, with their values, on which all points that share the stage agree.
func (s *Stage) Agreed() (axes []experiment.Axis) {
	for _, a := range s.uses[0].point.Axes {
		if v, agreed := common(s.uses, func(u use) string { return recipe.AxisValue(u.point.Axes, a.Key) }); agreed {
			axes = append(axes, experiment.Axis{Key: a.Key, Value: v})
		}
	}
	return axes
}

// First returns the first point that needs the stage, and the lambda_con of its Diversity-LSTM, or
// "".
func (s *Stage) First() (point *experiment.Point, lambdaCon string) {
	u := s.uses[0]
	return u.point, lambdaConOf(u)
}
