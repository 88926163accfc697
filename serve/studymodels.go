package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
)

// explainable are the points whose Diversity-LSTMs differ, by the name of what they load.
func (s *study) explainable() (names []choice, of map[string]*plan.PointStages) {
	p := s.explain
	of = map[string]*plan.PointStages{}
	for _, point := range p.Points {
		var ids []string
		for _, m := range point.Masks {
			if m.Method.Scored() == m.Method && s.ws.Done(m.DivLSTM) {
				ids = append(ids, m.DivLSTM.ID[:shortID])
			}
		}
		name := strings.Join(slices.Compact(ids), ".")
		if name == "" || of[name] != nil {
			continue
		}
		of[name] = point
		names = append(names, choice{name, pointName(point, point.Masks[0].DivLSTM)})
	}
	return names, of
}

// pointName says what tells a stage of a point from those of others.
func pointName(point *plan.PointStages, of *plan.Stage) string {
	words := []string{point.Point.Dataset}
	for _, a := range of.Agreed() {
		words = append(words, a.Key+" "+a.Value)
	}
	return strings.Join(append(words, fmt.Sprintf("seed %d", point.Point.Seed)), ", ")
}

func (s *study) explained() (d explainData) {
	names, of := s.explainable()
	d.Points = names
	for i, n := range names {
		point := of[n.Value]
		for _, label := range s.explain.Data[point.Point.Dataset].Labels {
			if !slices.Contains(d.Styles, label) {
				d.Styles = append(d.Styles, label)
			}
		}
		if i == 0 {
			d.Eps = point.Point.Settings.Masking.LambdaEps
		}
	}
	return d
}

func (s *study) explainer(name string) (*explainer, error) {
	_, of := s.explainable()
	point := of[name]
	if point == nil {
		return nil, errNoPoint
	}
	x, err := rewrite.Choice{Plan: s.explain, WS: s.ws}.Explain(point)
	return &explainer{x, point.Point.Dataset}, err
}

// transferring is a trained model and its point, as a plan of their own.
type transferring struct {
	plan  *plan.Plan
	model *plan.ModelStages
	of    *plan.PointStages
}

// transferable are the trained models of all points, by the start of their transfer's identity.
func (s *study) transferable() (names []modelChoice, of map[string]transferring) {
	p := s.plan
	of = map[string]transferring{}
	for _, point := range p.Points {
		for _, m := range point.Models {
			if of[m.Transfer.ID[:shortID]].plan != nil || !s.trained(m.Transfer) {
				continue
			}
			one, at := *p, *point // so that nothing else can be found
			at.Models = []*plan.ModelStages{m}
			one.Points = []*plan.PointStages{&at}
			id := m.Transfer.ID[:shortID]
			of[id] = transferring{&one, m, point}
			words := []string{plan.SystemOf(m.Model, m.Decoding)}
			if len(point.Point.Settings.Masking.TrainOn) > 1 {
				words = append(words, "masks by "+string(m.Method))
			}
			names = append(names, modelChoice{
				choice{id, strings.Join(append(words, pointName(point, m.Transfer)), ", ")},
				p.Data[point.Point.Dataset].Labels,
			})
		}
	}
	return names, of
}

// trained says whether the models of a transfer are finished.
func (s *study) trained(transfer *plan.Stage) bool {
	for _, in := range rewrite.Models(transfer) {
		if !s.ws.Done(in) {
			return false
		}
	}
	return true
}

func (s *study) transferred() (d transferData) {
	names, of := s.transferable()
	d.Models = names
	for _, n := range names { // the one that the command takes
		m := of[n.Value].model
		if d.Chosen == "" || m.Model == "smlm-ft" && of[d.Chosen].model.Model != m.Model ||
			m.Model == of[d.Chosen].model.Model && m.Decoding == recipe.GuidedDecoding &&
				of[d.Chosen].model.Decoding != recipe.GuidedDecoding {
			d.Chosen = n.Value
		}
	}
	return d
}

func (s *study) rewriter(model, from, to string) (*rewrite.Rewriting, error) {
	_, of := s.transferable()
	asked, known := of[model]
	if !known {
		return nil, errNoModel
	}
	dataset := asked.of.Point.Dataset
	if _, err := directionOf(from, to, dataset, s.plan.Data[dataset].Labels); err != nil {
		return nil, err
	}
	chosen, err := rewrite.Choice{
		Plan: asked.plan, WS: s.ws, Model: asked.model.Model, To: to, From: from,
		Decoding: string(asked.model.Decoding),
	}.Transfer()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "a stage of the model is gone: load the page again")
	} else if err != nil {
		return nil, err
	}
	return &chosen.Rewriting, nil
}
