package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// choice says which trained models of an experiment to use.
type choice struct {
	experiment                  string // the file, for messages
	dataset, variant, model, to string // "": the first data set, the first variant; smlm-ft, or the first model
}

// request finds the stages in the workspace; all but the sentences of the request is filled in. It tells w which point was taken.
func (o choice) request(s *study, w io.Writer) (TransferRequest, [2]string, error) {
	var r TransferRequest
	point, err := o.point(s)
	if err != nil {
		return r, [2]string{}, err
	}
	labels := s.plan.Data[point.Point.Dataset].Labels
	r.To = slices.Index(labels[:], o.to)
	if r.To < 0 {
		return r, labels, userr.New(userr.BadInput, "--to %s is no style of %s: use %s or %s", o.to, point.Point.Dataset, labels[0], labels[1])
	}
	r.From = 1 - r.To
	model, err := o.find(point)
	if err != nil {
		return r, labels, err
	}
	mask := point.Masks[slices.IndexFunc(point.Masks, func(m plan.MaskStages) bool { return m.Method == model.Method })]
	for _, stage := range []*plan.Stage{point.Vocab, mask.DivLSTM, model.Train} {
		if !s.ws.Done(stage) {
			return r, labels, userr.New(userr.BadInput, "%s is not trained yet in the workspace %q: run `smlm-exp run %s` with the same --set first", stage.Title(), s.ws.Dir, o.experiment)
		}
	}
	r.Model, r.ModelDir = model.Train.Kind, s.ws.StageDir(model.Train)
	r.VocabDir, r.DivLSTMDir = s.ws.StageDir(point.Vocab), s.ws.StageDir(mask.DivLSTM)
	r.Mask, _ = mask.Mask.Settings.(plan.MaskStage)
	r.Attribution, _ = mask.Mask.Inputs["attribution"].Settings.(plan.AttributionStage)
	r.Settings, _ = model.Transfer.Settings.(plan.TransferStage)
	r.Threads = s.exp.Threads
	if len(s.plan.Points) > 1 || len(point.Models) > 1 {
		fmt.Fprintf(w, "smlm-exp: using %s\n", describePoint(point.Point, model))
	}
	return r, labels, nil
}

// point returns the first point of the data set and the variant.
func (o choice) point(s *study) (*plan.PointStages, error) {
	var datasets, variants []string
	add := func(names *[]string, name string) {
		if name != "" && !slices.Contains(*names, name) {
			*names = append(*names, name)
		}
	}
	for i := range s.plan.Points {
		p := &s.plan.Points[i]
		if o.dataset != "" && o.dataset != p.Point.Dataset {
			add(&datasets, p.Point.Dataset)
			continue
		}
		if o.variant == "" || o.variant == p.Point.Variant {
			return p, nil
		}
		add(&variants, p.Point.Variant)
	}
	if len(variants) > 0 {
		return nil, o.unknown("--variant", o.variant, "variant", variants)
	}
	if o.variant != "" && len(datasets) == 0 {
		return nil, userr.New(userr.BadInput, "--variant %s: %s has no [variants], leave it out", o.variant, o.experiment)
	}
	return nil, o.unknown("--dataset", o.dataset, "data set", datasets)
}

// unknown words a name that the experiment does not have.
func (o choice) unknown(flag, name, what string, names []string) error {
	return userr.New(userr.BadInput, "%s %s is no %s of %s: %s", flag, name, what, o.experiment, suggest(name, names, "use "+strings.Join(names, " or ")))
}

// find returns the model asked for.
func (o choice) find(p *plan.PointStages) (*plan.ModelStages, error) {
	var names []string
	var fallback *plan.ModelStages
	for i := range p.Models {
		m := &p.Models[i]
		if m.Model == o.model {
			return m, nil
		}
		if fallback == nil || m.Model == "smlm-ft" && fallback.Model != "smlm-ft" {
			fallback = m
		}
		if !slices.Contains(names, m.Model) {
			names = append(names, m.Model)
		}
	}
	if o.model != "" || fallback == nil {
		return nil, userr.New(userr.BadInput, "--model %s is no model of %s: it has %s", o.model, o.experiment, strings.Join(names, ", "))
	}
	return fallback, nil
}

// describePoint names a point and one of its models: "smlm-ft on demo, lambda_con 10, lambda_eps 0.15, seed 1".
func describePoint(p experiment.Point, m *plan.ModelStages) string {
	words := fmt.Sprintf("%s on %s", m.Model, p.Dataset)
	for _, a := range p.Axes {
		words += fmt.Sprintf(", %s %s", a.Key, a.Value)
	}
	return words + fmt.Sprintf(", masks by %s, unmasked words %s, seed %d", m.Method, m.Unmasked, p.Seed)
}
