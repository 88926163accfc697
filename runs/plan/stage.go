package plan

import (
	"context"
	"log/slog"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// Stage is one node of the graph. ID is sha256 over the canonical JSON of kind, version, settings
// and the inputs' IDs; equal stages are one stage however many points of a sweep need them.
type Stage struct {
	Kind     kind.Kind
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

// Job is what a stage's function is given.
type Job struct {
	Kind kind.Kind
	ID   string
	// an empty folder: write artefacts here; it becomes the stage's folder when the function
	// returns nil
	Dir     string
	Scratch string            // kept if the run is interrupted and given again to the next try: checkpoints go here
	Inputs  map[string]string // folders of the inputs, by name
	// files outside the workspace: prepare and test-set "dir"; naturalness and vectors "file";
	// meteor "wordnet"; published, and meteor and embedding of the same outputs, "0" and "1"
	Sources  map[string]string
	Settings []byte // canonical JSON of Stage.Settings
	Threads  int
	Every    time.Duration                      // between two checkpoints
	Devices  string                             // "auto", "cpu", "cuda" or "cuda:N"
	Used     Used                               // what the function took, for stage.json; set by it
	Progress func(done, total int, note string) // cheap; call it every batch
	Log      *slog.Logger
}

// Used is what "auto" came to: where and by what a stage computed, and in which precision it
// trained.
type Used struct {
	Device    string `json:"device,omitempty"`    // "cpu", "cuda:0"; "" where a stage needs no tensors
	Model     string `json:"gpu,omitempty"`       // of the CUDA device, "NVIDIA H100 80GB HBM3"
	Precision string `json:"precision,omitempty"` // "fp32" or "bf16", of trainings
	// Auto says why, of trainings whose precision was to be "auto".
	Auto     recipe.Measured `json:"auto,omitzero"`
	Libtorch string          `json:"libtorch,omitempty"` // its version
}

// StageFunc runs one stage. It returns ctx.Err() soon after ctx ends.
type StageFunc func(ctx context.Context, job *Job) error
