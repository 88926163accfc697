// Package rewrite rewrites a user's sentences and explains their masks with the trained models of a
// study. It finds the models among the finished stages (Choice), packs them into one file and opens
// such a file (Write, Open), describes the results for a text (Answer), and exports models to
// PyTorch (Export). Both the commands and the local page use this package.
package rewrite

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// Choice selects trained models of a study.
type Choice struct {
	Plan *plan.Plan
	WS   *workspace.Workspace

	Variant  string // name of the variant; "": the first variant
	Model    string // smlm, smlm-g or smlm-ft, in any letter case; "": smlm-ft if there is one, else the first
	To       string // label of the target style; "": the label of style 1
	From     string // label of the source style; "": the other style if there are two, else a guess for each sentence
	Decoding string // as in smlm.decoding; "": guided if the model has guided outputs, else its first decoding
}

// Chosen is the model that a Choice selects.
type Chosen struct {
	Rewriting
	Model stage.Point
	// Stages are the finished stages. Their folders are the inputs of the request.
	Stages map[string]*plan.Stage
	Only   bool // the study has no other point or model
}

// Default returns the model that is used if dev outputs have chosen none: see the fields Variant,
// Model and Decoding.
func (o Choice) Default() (stage.Point, error) {
	point, err := o.Point()
	if err != nil {
		return point, err
	}
	return o.find(point)
}

// Fits reports whether the fields Variant, Model and Decoding allow a model.
func (o Choice) Fits(m stage.Point) bool {
	return (o.Variant == "" || o.Variant == m.Variant) && (o.Model == "" || strings.ToLower(o.Model) == m.Model) &&
		(o.Decoding == "" || o.Decoding == string(m.Decoding))
}

// Asked returns the direction that the fields From and To name.
func (o Choice) Asked(point stage.Point) (corpus.Direction, error) {
	labels := o.Labels(point)
	return DirectionOf(o.From, cmp.Or(o.To, labels[1]), point.Dataset, labels)
}

// At finds the stages of a model that rewrite sentences in a direction, and checks that all are
// finished and undamaged. It uses only the fields Plan and WS of the Choice.
func (o Choice) At(model stage.Point, asked corpus.Direction) (*Chosen, error) {
	transfer := o.Plan.Get(stages.Transfer, model)
	mask := o.Plan.Get(stages.Mask, model)
	attribution := mask.Inputs["attribution"]
	c := &Chosen{Rewriting: Rewriting{Labels: o.Labels(model)}, Model: model, Stages: Models(transfer)}
	delete(c.Stages, "tune") // the request contains what the stage "tune" has chosen
	c.Stages["divlstm"] = attribution.Inputs["divlstm"]
	r := &c.Request
	r.Direction, r.Inputs = asked, map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Stages)) {
		if err := o.whole(c.Stages[name]); err != nil {
			return nil, err
		}
		r.Inputs[name] = o.WS.StageDir(c.Stages[name])
	}
	r.Mask, _ = mask.Settings.(stages.MaskSettings)
	r.Attribution, _ = attribution.Settings.(stages.AttributionSettings)
	r.Settings, _ = transfer.Settings.(stages.TransferSettings)
	for _, s := range []*plan.Stage{transfer, mask} {
		err := o.tuned(s, func(chosen stages.Trial) {
			r.Mask, r.Settings = r.Mask.With(chosen), r.Settings.With(chosen)
		})
		if errors.Is(err, fs.ErrNotExist) {
			return nil, Unfinished(o.WS, o.Plan.Experiment, s.Inputs["tune"].Title(), "")
		} else if err != nil {
			return nil, err
		}
	}
	c.Only = len(o.Plan.Points) == 1 && len(model.Models()) == 1
	return c, nil
}

// The method tuned calls the function "use" with the setting that the stage tune chose for s. It
// does nothing if "tune" is not an input of s.
func (o Choice) tuned(s *plan.Stage, use func(chosen stages.Trial)) error {
	tune := s.Inputs["tune"]
	if tune == nil {
		return nil
	}
	if err := o.WS.Whole(tune); err != nil {
		return err
	}
	found, err := stages.ReadTuning(o.WS.StageDir(tune))
	if err == nil {
		use(found.Choice())
	}
	return err
}

// Models returns the inputs of a transfer, except the test sentences and their masks. A user's
// sentences replace these two.
func Models(transfer *plan.Stage) map[string]*plan.Stage {
	stages := maps.Clone(transfer.Inputs)
	delete(stages, "test")
	delete(stages, "test-mask")
	return stages
}

// The method whole returns an error if a stage is not finished or was damaged.
func (o Choice) whole(s *plan.Stage) error {
	err := o.WS.Whole(s)
	if errors.Is(err, fs.ErrNotExist) {
		return Unfinished(o.WS, o.Plan.Experiment, s.Title(), "")
	}
	return err
}

// Unfinished returns the error for something that is missing from a workspace. The error names the
// command that makes it. If the parameter "only" is set, this command runs only the stages with
// that name.
func Unfinished(ws *workspace.Workspace, e *experiment.Experiment, what string, only stage.Name) error {
	command := e.Command()
	if only != "" {
		command += " --only " + string(only)
	}
	return userr.New(userr.BadInput, "%s is not finished yet in the workspace %q: run `%s` first", what, ws.Dir,
		command)
}

func (o Choice) file() string { return o.Plan.Experiment.File }

// Labels returns the style labels at a point.
func (o Choice) Labels(p stage.Point) corpus.Styles { return p.Data().Labels }

// DirectionOf returns the direction between two styles, given the labels in the flags --from and
// --to, or in a form. The label in the parameter "from" may be "".
func DirectionOf(from, to, dataset string, labels corpus.Styles) (d corpus.Direction, err error) {
	if d.To, err = Style("--to", to, dataset, labels); err != nil {
		return d, err
	}
	if from == "" {
		return labels.DirectionTo(d.To), nil
	}
	if d.From, err = Style("--from", from, dataset, labels); err == nil && d.From == d.To {
		err = userr.New(userr.BadInput, "the source and the target both have the style %q: choose two styles", to)
	}
	return d, err
}

// Style returns the index of the style whose label is given by a flag.
func Style(flag, label, dataset string, labels corpus.Styles) (int, error) {
	style := labels.Index(label)
	if style < 0 {
		return 0, userr.New(userr.BadInput, "%s %s is not a style of %s: use %s", flag, label, dataset,
			strings.Join(labels, " or "))
	}
	return style, nil
}

// Point returns the first point or, if the choice has a variant, the first point of that variant.
func (o Choice) Point() (stage.Point, error) {
	var variants []string
	for _, p := range o.Plan.All() {
		if o.Variant == "" || o.Variant == p.Variant {
			return p, nil
		}
		if p.Variant != "" {
			variants = lists.AddOnce(variants, p.Variant)
		}
	}
	if len(variants) == 0 {
		return stage.Point{}, userr.New(userr.BadInput, "--variant %s: %s has no [variants], so leave it out", o.Variant, o.file())
	}
	return stage.Point{}, userr.New(userr.BadInput, "--variant %s is not a variant of %s: %s",
		o.Variant, o.file(), wording.Suggest(o.Variant, variants, "use "+strings.Join(variants, " or ")))
}

// The method find returns the chosen model at a point.
func (o Choice) find(p stage.Point) (stage.Point, error) {
	all := p.Models()
	var models, ways []string
	for _, m := range all {
		models = lists.AddOnce(models, m.Model)
	}
	name := cmp.Or(strings.ToLower(o.Model), "smlm-ft") // the letter case does not matter: tables print "SMLM-FT"
	if o.Model == "" && !slices.Contains(models, name) && len(models) > 0 {
		name = models[0]
	}
	of := lists.Filter(all, func(m stage.Point) bool { return m.Model == name })
	if len(of) == 0 {
		return p, userr.New(userr.BadInput, "--model %s is not a model of %s: use %s",
			o.Model, o.file(), strings.Join(models, " or "))
	}
	for _, m := range of {
		if string(m.Decoding) == cmp.Or(o.Decoding, string(recipe.GuidedDecoding)) {
			return m, nil
		}
		ways = append(ways, string(m.Decoding))
	}
	if o.Decoding == "" {
		return of[0], nil
	}
	return p, userr.New(userr.BadInput, "--decoding %s is not a decoding of %s in %s: use %s",
		o.Decoding, name, o.file(), strings.Join(ways, " or "))
}

// String describes the point and the model: "smlm-ft on demo, lambda_con 10, masks by
// explainable_attention, decoding guided, seed 1".
func (c *Chosen) String() string {
	m := c.Model
	words := append([]string{m.Model + " on " + m.Dataset}, recipe.AxisWords(m.Axes)...)
	return fmt.Sprintf("%s, masks by %s, decoding %s, seed %d",
		strings.Join(words, ", "), m.Method, m.Decoding, m.Seed)
}
