package plan

import (
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Stage is one node of the graph. ID is sha256 over the canonical JSON of kind, version, settings
// and the inputs' IDs; equal stages are one stage however many points of a sweep need them.
type Stage struct {
	Kind     stage.Kind
	ID       string
	Settings any               // what matters to this stage; a JSON-able struct of package kind
	Inputs   map[string]*Stage // by the names that kind.Definition has
	// absolute paths outside the workspace that it reads, by name (see Job); never part of the
	// identity
	Sources map[string]string
	// for humans: what tells it from its siblings, "lambda_eps 0.15, seed 2"; "" when it has none
	Label string

	settings []byte   // see SettingsJSON; nil of a stage without an identity
	uses     []use    // who needs it
	content  []*Stage // see Content
}

// SettingsJSON returns Settings as the canonical JSON that the identity is made of, which the
// caller must not change: equal settings are one text for all stages of a plan.
func (s *Stage) SettingsJSON() ([]byte, error) {
	if s.settings != nil {
		return s.settings, nil
	}
	return Canonical(s.Settings)
}

// Precision returns the precision that a training is to have, as its settings name it; "" of other
// stages.
func (s *Stage) Precision() string {
	if t, ok := s.Settings.(interface{ InPrecision() string }); ok {
		return t.InPrecision()
	}
	return ""
}

// Needs says whether an input of the stage is one of these.
func (s *Stage) Needs(these map[*Stage]bool) bool {
	for _, in := range s.Inputs {
		if these[in] {
			return true
		}
	}
	return false
}
