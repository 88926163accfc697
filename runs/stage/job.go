package stage

import (
	"context"
	"log/slog"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// Job is the argument of a stage's function.
type Job struct {
	Name Name
	ID   string
	// Dir is an empty folder for the artefacts. It becomes the stage's folder when the function
	// returns nil.
	Dir     string
	Scratch string            // folder for checkpoints; after an interruption, the next attempt gets the same folder
	Inputs  map[string]string // folders of the inputs, by name
	// Sources are paths outside the workspace, by name. Examples are "dir" (for the stage prepare),
	// "file" (vectors), "wordnet" (meteor), and "0", "1" ... (published, by direction).
	Sources  map[string]string
	Settings []byte // canonical JSON of plan.Stage.Settings
	Threads  int
	Every    time.Duration                      // time between two checkpoints
	Devices  string                             // "auto", "cpu", "cuda" or "cuda:N"
	Used     Used                               // written to stage.json; the code of the stage sets this field
	Warnings []string                           // written to stage.json; Warn adds them
	Warned   func(sentence string)              // shows a warning to the user; may be nil
	Progress func(done, total int, note string) // reports progress; cheap enough to be called for every batch
	Log      *slog.Logger
}

// Used records the device and precision that were used.
type Used struct {
	Device    string `json:"device,omitempty"`    // "cpu", "cuda:0"; "" if the stage needs no tensors
	Model     string `json:"gpu,omitempty"`       // name of the CUDA device, such as "NVIDIA H100 80GB HBM3"
	Precision string `json:"precision,omitempty"` // precision of the training, "fp32" or "bf16"
	Libtorch  string `json:"libtorch,omitempty"`  // version of libtorch
}

// Warn tells the user, in one sentence, about a probable mistake in the data. The stage's record
// keeps the sentence.
func (j *Job) Warn(sentence string) {
	j.Warnings = lists.AddOnce(j.Warnings, sentence)
	if j.Warned != nil {
		j.Warned(sentence)
	}
}

// Func runs one stage. It returns ctx.Err() soon after ctx ends.
type Func func(ctx context.Context, job *Job) error

// EpochsFile is the name of a file in a job's Scratch folder. For monitoring, the file lists the
// finished epochs of a training run.
const EpochsFile = "epochs.json"
