package serve

import (
	"cmp"
	"context"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/report/page"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// study holds an experiment and its workspace. A run may be writing to the workspace at the same
// time.
type study struct {
	plan *plan.Plan
	ws   *workspace.Workspace

	mu     sync.Mutex
	stages string // the value of finished() when report was made
	report *rendered
}

// The type rendered is the HTML for the results of all finished stages.
type rendered struct {
	notices           []string
	results, examples template.HTML
}

// results shows tables and figures.
func (s *Server) results(r *http.Request) (*view, error) {
	v := &view{Title: "Results"}
	found, err := s.study.render(r.Context())
	if err != nil {
		return v, err
	}
	v.Notices, v.Body = found.notices, found.results
	return v, nil
}

// examples shows outputs of the systems for some test sentences.
func (s *Server) examples(r *http.Request) (*view, error) {
	v := &view{Title: "Examples"}
	found, err := s.study.render(r.Context())
	if err != nil {
		return v, err
	}
	if v.Body = found.examples; v.Body == "" {
		v.Notices = []string{`There are no examples. They need a finished transfer and "examples" in report.tables.`}
	}
	return v, nil
}

// render returns the results as HTML. It collects the results again only if the finished stages
// have changed since the last call.
func (s *study) render(ctx context.Context) (*rendered, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stages := s.finished()
	if s.report != nil && stages == s.stages {
		return s.report, nil
	}
	report, err := s.collect(ctx)
	switch {
	case err != nil && stages != s.finished():
		return nil, errChanging
	case err != nil:
		return nil, err
	}
	s.stages, s.report = stages, report
	return report, nil
}

// The method finished returns a string that identifies the finished stages. If a stage is run
// again, the stage's checksum changes, and so does the string.
func (s *study) finished() string {
	var sums strings.Builder
	for _, stage := range s.plan.Stages {
		if record, err := s.ws.Record(stage); err == nil {
			sums.WriteString(stage.ID + record.Sum)
		}
	}
	return sums.String()
}

func (s *study) collect(ctx context.Context) (*rendered, error) {
	found, err := results.Collect(s.plan, s.ws)
	if err != nil {
		return nil, err
	}
	if err := found.Test(ctx); err != nil {
		return nil, err
	}
	all, err := found.Page()
	if err != nil {
		return nil, err
	}
	out := &rendered{notices: lists.Map(found.Lacking(), sentence)}
	if len(all.Examples) > 0 {
		if out.examples, err = page.Examples(all.Examples); err != nil {
			return nil, err
		}
	}
	all.Examples = nil
	out.results, err = all.Body()
	return out, err
}

// explainers returns the finished Diversity-LSTMs for all combinations of swept settings. Several
// combinations may share a Diversity-LSTM. It then has the same name for each of them, so that the
// form lists it once. The first one belongs to the model whose dev outputs were best.
func (s *study) explainers() (out []explainer) {
	chosen, _, _ := results.ChosenModel(s.plan, s.ws, results.AnyModel) // an error shows on the page of results
	points := s.plan.All()
	first(points, func(p stage.Point) bool { return p.Point == chosen.Point })
	for _, point := range points {
		var scorers []*plan.Stage
		for _, m := range point.Masks() {
			if m.Method.Scored() == m.Method {
				scorers = append(scorers, s.plan.Get(stages.DivLSTM, m))
			}
		}
		if !slices.ContainsFunc(scorers, s.ws.Done) {
			continue
		}
		find := func() (*rewrite.Explaining, error) { return rewrite.Choice{Plan: s.plan, WS: s.ws}.Explain(point) }
		out = append(out, explainer{s.model(point, scorers[0]), find})
	}
	return out
}

// The function first moves the items that fulfil a condition to the start of a list. Otherwise the
// order stays.
func first[T any](all []T, is func(T) bool) {
	place := func(item T) int {
		if is(item) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b T) int { return cmp.Compare(place(a), place(b)) })
}

// rewriters returns the finished transfer models for all combinations of swept settings. The first
// one is the model whose dev outputs were best, as in the command `transfer`.
func (s *study) rewriters() (out []rewriter) {
	var chosen *plan.Stage
	if m, ok, err := results.ChosenModel(s.plan, s.ws, results.AnyModel); err == nil && ok {
		chosen = s.plan.Get(stages.Transfer, m)
	}
	choice := rewrite.Choice{Plan: s.plan, WS: s.ws}
	for _, point := range s.plan.All() {
		for _, m := range point.Models() {
			transfer := s.plan.Get(stages.Transfer, m)
			if !s.ready(transfer) {
				continue
			}
			of := s.model(point, transfer)
			if len(point.Settings.Masking.TrainOn) > 1 {
				of.name = "masks by " + string(m.Method) + ", " + of.name
			}
			of.name = data.SystemName(m.Model) + " (" + string(m.Decoding) + "), " + of.name
			find := func(d corpus.Direction) (*rewrite.Rewriting, error) {
				found, err := choice.At(m, d)
				if err != nil {
					return nil, err
				}
				return &found.Rewriting, nil
			}
			out = append(out, rewriter{of, transfer == chosen, find})
		}
	}
	first(out, func(r rewriter) bool { return r.best })
	return out
}

// model describes a stage that belongs to one combination of settings. The model's name consists of
// the data set, the swept settings and the seed.
func (s *study) model(point stage.Point, of *plan.Stage) model {
	dataset := point.Dataset
	words := append([]string{dataset}, recipe.AxisWords(of.Agreed())...)
	words = append(words, "seed "+strconv.FormatUint(point.Seed, 10))
	return model{strings.Join(words, ", "), dataset, point.Data().Labels}
}

// The method ready reports whether all models that a transfer stage uses are finished.
func (s *study) ready(transfer *plan.Stage) bool {
	for _, in := range rewrite.Models(transfer) {
		if !s.ws.Done(in) {
			return false
		}
	}
	return true
}
