package stage

import (
	"context"
	"fmt"
	"log/slog"
	"time"
)

// Job is what a stage's function is given.
type Job struct {
	Name Name
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
	Libtorch  string `json:"libtorch,omitempty"`  // its version
}

// Func runs one stage. It returns ctx.Err() soon after ctx ends.
type Func func(ctx context.Context, job *Job) error

// Funcs are functions of stages, by name, in place of their own code.
type Funcs map[Name]Func

// Run runs a stage by the function for its name.
func (f Funcs) Run(ctx context.Context, job *Job) error {
	if f[job.Name] == nil {
		return fmt.Errorf("nothing runs the stage %q", job.Name)
	}
	return f[job.Name](ctx, job)
}

// EpochsFile lies in a job's Scratch: the epochs that a training has ended, for those who watch.
const EpochsFile = "epochs.json"
