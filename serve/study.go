package serve

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// study is the experiment as it stands now: a run may go on while it is looked at.
type study struct {
	ws      *workspace.Workspace
	plan    *plan.Plan
	explain *plan.Plan // with all methods that score words

	mu     sync.Mutex // of looking: the second to ask waits for what the first finds
	states string     // which stages were finished when found was collected
	found  *found
}

// found is what the finished stages say.
type found struct {
	results *results.Results
	tables  []*table.Table // nil: nobody asked for them yet
}

// stages returns the state of every stage.
func (s *study) stages() []workspace.StageStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ws.Status(s.plan)
}

// results collects anew where another stage is finished than before.
func (s *study) results() (*found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.collect()
}

// tables are results with the tables, whose tests of significance take seconds.
func (s *study) tables(ctx context.Context) (*found, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.collect()
	if err != nil || f.tables != nil {
		return f, err
	}
	if err := f.results.Test(ctx); err != nil {
		return nil, err
	}
	f.tables = f.results.Tables()
	return f, nil
}

func (s *study) collect() (*found, error) {
	all := s.ws.Status(s.plan)
	var states strings.Builder
	for i := range all {
		if all[i].State != workspace.StateDone {
			continue
		}
		states.WriteString(all[i].Stage.ID)
		if r, err := s.ws.Record(all[i].Stage); err == nil {
			states.WriteString(r.Sum) // a forced stage is made anew under its identity
		}
	}
	if s.found != nil && s.states == states.String() {
		return s.found, nil
	}
	r, err := results.Collect(s.plan, s.ws)
	if err != nil {
		return nil, err
	}
	s.found, s.states = &found{results: r}, states.String()
	return s.found, nil
}

// alive says whether a run goes on in the workspace.
func (s *study) alive() bool {
	all, err := s.ws.Running()
	return err == nil && slices.ContainsFunc(all, func(r workspace.Running) bool { return r.Alive })
}
