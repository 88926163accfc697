package rewrite

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/cli/call"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// choice says which trained models of an experiment to use.
type choice struct {
	*call.Study
	variant, model, to string // "": the first variant; smlm-ft, or the first model
	unmasked           string // "": guided, or the first way that the experiment asks for
}

// request finds the stages in the workspace, and the styles' names; all but threads and devices is
// filled in. It tells w which point was taken.
func (o choice) request(w io.Writer) (r runs.TransferRequest, labels [2]string, err error) {
	point, err := o.point()
	if err != nil {
		return r, labels, err
	}
	labels = o.Plan.Data[point.Point.Dataset].Labels
	if r.To, err = styleOf("--to", o.to, point.Point.Dataset, labels); err != nil {
		return r, labels, err
	}
	r.From = 1 - r.To
	model, err := o.find(point)
	if err != nil {
		return r, labels, err
	}
	mask := point.Masks[slices.IndexFunc(point.Masks, func(m plan.MaskStages) bool { return m.Method == model.Method })]
	reads := maps.Clone(model.Transfer.Inputs)
	reads["divlstm"] = mask.DivLSTM
	delete(reads, "test") // other sentences than these are rewritten
	delete(reads, "test-mask")
	r.Inputs = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(reads)) {
		err := o.WS.Whole(reads[name])
		if errors.Is(err, fs.ErrNotExist) {
			return r, labels, userr.New(userr.BadInput, "%s is not finished yet in the workspace %q: "+
				"run `smlm-exp run %s` with the same --set first", reads[name].Title(), o.WS.Dir, o.Exp.File)
		} else if err != nil {
			return r, labels, err
		}
		r.Inputs[name] = o.WS.StageDir(reads[name])
	}
	r.Mask, _ = mask.Mask.Settings.(kind.MaskSettings)
	r.Attribution, _ = mask.Mask.Inputs["attribution"].Settings.(kind.AttributionSettings)
	r.Settings, _ = model.Transfer.Settings.(kind.TransferSettings)
	if len(o.Plan.Points) > 1 || len(point.Models) > 1 {
		fmt.Fprintf(w, "smlm-exp: using %s\n", describePoint(point.Point, model))
	}
	return r, labels, nil
}

// styleOf returns the style that a flag names by its label.
func styleOf(flag, label, dataset string, labels [2]string) (int, error) {
	style := slices.Index(labels[:], label)
	if style < 0 {
		return 0, userr.New(userr.BadInput, "%s %s is no style of %s: use %s or %s", flag, label, dataset, labels[0],
			labels[1])
	}
	return style, nil
}

// point returns the first point, of the variant if one is asked for.
func (o choice) point() (*plan.PointStages, error) {
	var variants []string
	for i := range o.Plan.Points {
		p := &o.Plan.Points[i]
		if p.Point.DevOnly {
			continue
		}
		if o.variant == "" || o.variant == p.Point.Variant {
			return p, nil
		}
		variants = append(variants, p.Point.Variant)
	}
	if o.variant == "" {
		return nil, userr.New(userr.BadInput, "the search of %s has not chosen a point yet: run `smlm-exp run %s` first",
			o.Exp.File, o.Exp.File)
	}
	if variants = distinct(variants); len(variants) == 0 {
		return nil, userr.New(userr.BadInput, "--variant %s: %s has no [variants], leave it out", o.variant, o.Exp.File)
	}
	return nil, userr.New(userr.BadInput, "--variant %s is no variant of %s: %s",
		o.variant, o.Exp.File, wording.Suggest(o.variant, variants, "use "+strings.Join(variants, " or ")))
}

// distinct keeps the first of equal names, and none that is empty.
func distinct(names []string) (out []string) {
	for _, name := range names {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// find returns the model asked for.
func (o choice) find(p *plan.PointStages) (*plan.ModelStages, error) {
	var models, ways []string
	for _, m := range p.Models {
		models = append(models, m.Model)
	}
	name := cmp.Or(strings.ToLower(o.model), "smlm-ft") // tables write SMLM-FT
	if o.model == "" && !slices.Contains(models, name) && len(models) > 0 {
		name = models[0]
	}
	of := slices.DeleteFunc(slices.Clone(p.Models), func(m plan.ModelStages) bool { return m.Model != name })
	if len(of) == 0 {
		return nil, userr.New(userr.BadInput, "--model %s is no model of %s: it has %s",
			o.model, o.Exp.File, strings.Join(distinct(models), ", "))
	}
	for i, m := range of {
		if string(m.Unmasked) == cmp.Or(o.unmasked, string(recipe.Helped)) {
			return &of[i], nil
		}
		ways = append(ways, string(m.Unmasked))
	}
	if o.unmasked == "" {
		return &of[0], nil
	}
	return nil, userr.New(userr.BadInput, "--unmasked %s: the outputs of %s in %s are %s",
		o.unmasked, name, o.Exp.File, strings.Join(ways, ", "))
}

// describePoint names a point and one of its models: "smlm-ft on demo, lambda_con 10, lambda_eps
// 0.15, seed 1".
func describePoint(p experiment.Point, m *plan.ModelStages) string {
	words := fmt.Sprintf("%s on %s", m.Model, p.Dataset)
	for _, a := range p.Axes {
		words += fmt.Sprintf(", %s %s", a.Key, a.Value)
	}
	return words + fmt.Sprintf(", masks by %s, unmasked words %s, seed %d", m.Method, m.Unmasked, p.Seed)
}
