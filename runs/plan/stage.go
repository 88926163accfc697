package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Stage is a node of the graph. ID is the sha256 of the canonical JSON of name, version, settings
// and the inputs' IDs. Stages with the same ID are one node, however many points of a sweep need
// them.
type Stage struct {
	Name     stage.Name
	ID       string
	Settings any               // settings that affect this stage: a struct of package stages that becomes JSON
	Inputs   map[string]*Stage // input stages, by their names in stage.Definition
	// Sources are absolute paths outside the workspace that the stage reads, by name (see
	// stage.Job). They are not part of the identity.
	Sources map[string]string
	// Label distinguishes the stage from similar ones, for people: "lambda_eps 0.15, seed 2". May
	// be "".
	Label string

	// Points are the points of the sweep that need the stage, in the order in which they were
	// planned.
	Points []stage.Point

	shown   bool     // whether the experiment shows the result of the stage
	content []*Stage // see Content
}

// Content lists the stages that add METEOR, the embedding metrics and BERTScore to this stage's
// scores.
func (s *Stage) Content() []*Stage { return s.content }

// Any reports whether a condition holds for any point of the sweep that needs the stage.
func (s *Stage) Any(holds func(stage.Point) bool) bool { return slices.ContainsFunc(s.Points, holds) }

// Shown reports whether the experiment shows the result of the stage.
func (s *Stage) Shown() bool { return s.shown }

// Precision returns the precision in the settings of a training, or "" for other stages.
func (s *Stage) Precision() string {
	if t, ok := s.Settings.(interface{ InPrecision() string }); ok {
		return t.InPrecision()
	}
	return ""
}

// Needs reports whether s has an input among the given stages.
func (s *Stage) Needs(these map[*Stage]bool) bool {
	for _, in := range s.Inputs {
		if these[in] {
			return true
		}
	}
	return false
}

// label gives every stage a label that distinguishes it from similar ones. A swept value, the seed
// or the method is part of the label if it varies within the plan and is the same at all points
// that need the stage.
func (p *Plan) label() {
	e := p.Experiment
	severalMethods, severalLambdas, varies := p.severalMethods(), p.severalLambdas(), p.varies()
	for _, s := range p.Stages {
		var parts []string
		add := func(prefix string, several bool, of func(stage.Point) string) {
			if v, agreed := s.common(of); several && agreed && v != "" {
				parts = append(parts, prefix+v)
			}
		}
		add("", len(e.Datasets) > 1, func(q stage.Point) string { return q.Dataset })
		add("", true, func(q stage.Point) string { return q.SystemName() })
		add("", s.ofModel(), func(q stage.Point) string { return q.Model })
		add("", s.severalDecodings(), func(q stage.Point) string { return string(q.Decoding) })
		add("", true, func(q stage.Point) string { return q.Split })
		con, ofDivLSTM := s.lambdaCon()
		add("", severalMethods && !ofDivLSTM && s.tellsMethod(), func(q stage.Point) string { return string(q.Method) })
		add("lambda_con ", ofDivLSTM && severalLambdas, func(stage.Point) string { return con })
		for _, a := range s.Points[0].Axes {
			if ofDivLSTM && a.Key == "lambda_con" {
				continue // lambda_con was added above; it is 0 for vanilla attention
			}
			add(
				a.Key+" ", varies[[2]string{s.Points[0].Dataset, a.Key}],
				func(q stage.Point) string { return recipe.AxisValue(q.Axes, a.Key) },
			)
		}
		add("seed ", len(e.Seeds) > 1, func(q stage.Point) string { return strconv.FormatUint(q.Seed, 10) })
		s.Label = strings.Join(parts, ", ")
	}
}

// ofModel reports whether the stage uses a trained model or its outputs. The stage's label then
// names the model.
func (s *Stage) ofModel() bool { return s.Inputs["model"] != nil || s.Inputs["transfer"] != nil }

// tellsMethod reports whether the label needs the masking method. The stages of masks need it, and
// so do models that are trained on the masks of several methods.
func (s *Stage) tellsMethod() bool {
	return slices.Contains([]stage.Name{stages.Attribution, stages.Mask, stages.MaskScore}, s.Name) ||
		s.Any(func(p stage.Point) bool { return len(p.Settings.Masking.TrainOn) > 1 })
}

// lambdaCon returns the lambda_con of a stage that trains a Diversity-LSTM or measures the accuracy
// of one. For other stages the result "ok" is false.
func (s *Stage) lambdaCon() (value string, ok bool) {
	of := s
	if s.Name == stages.Accuracy {
		of = s.Inputs["model"]
	}
	settings, ok := of.Settings.(stages.DivLSTMSettings)
	return strconv.FormatFloat(settings.LambdaCon, 'g', -1, 64), ok
}

// common applies a function to every point that needs the stage. If all results are equal, it
// returns this result and true; otherwise the second result is false.
func (s *Stage) common(of func(stage.Point) string) (string, bool) {
	v := of(s.Points[0])
	for _, p := range s.Points[1:] {
		if of(p) != v {
			return "", false
		}
	}
	return v, true
}

// severalDecodings reports whether a point that needs the stage has more than one decoding.
func (s *Stage) severalDecodings() bool {
	return s.Any(func(p stage.Point) bool { return len(p.Settings.SMLM.Decoding) > 1 })
}

// varies returns, for each data set and key, the result of Experiment.Varies.
func (p *Plan) varies() map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, of := range p.Points {
		for _, a := range of.Axes {
			at := [2]string{of.Dataset, a.Key}
			if _, known := out[at]; !known {
				out[at] = p.Experiment.Varies(of.Dataset, a.Key)
			}
		}
	}
	return out
}

// severalMethods reports whether any point has several masking methods.
func (p *Plan) severalMethods() bool {
	return slices.ContainsFunc(p.Points, func(of experiment.Point) bool { return len(of.Settings.Masking.Methods) > 1 })
}

// severalLambdas reports whether the plan's Diversity-LSTMs have different values of lambda_con.
func (p *Plan) severalLambdas() bool {
	seen := map[string]bool{}
	for _, s := range p.Named(stages.DivLSTM) {
		con, _ := s.lambdaCon()
		seen[con] = true
	}
	return len(seen) > 1
}

// Agreed returns each swept key that has the same value at all points that need the stage, with
// this value.
func (s *Stage) Agreed() (axes []experiment.Axis) {
	for _, a := range s.Points[0].Axes {
		v, agreed := s.common(func(p stage.Point) string { return recipe.AxisValue(p.Axes, a.Key) })
		if agreed {
			axes = append(axes, experiment.Axis{Key: a.Key, Value: v})
		}
	}
	return axes
}
