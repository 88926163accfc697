package plan

import (
	"context"
	"log/slog"
)

// Kind names a step of the study. Its version is part of every identity: raise it when the
// artefacts change.
type Kind string

// The kinds, in the order of the study. Beside each: inputs by name, then the files it writes.
// Instruments are prepare, vocab, classifier, naturalness and naturalness.2 and so on where there
// are several, vectors and lm where the settings want them.
const (
	KindPrepare     Kind = "prepare"     // -: {train,dev,test}.{0,1}.txt, reference.{0,1}.txt, counts.json
	KindVocab       Kind = "vocab"       // prepare: vocab.txt
	KindNaturalness Kind = "naturalness" // prepare where it is trained, - where a file is given: weights.tsv (trained) or a copy of the file under its own name, about.json
	KindClassifier  Kind = "classifier"  // prepare, vocab: model.safetensors, model.json, history.json, result.json
	KindFastText    Kind = "fasttext"    // prepare, vocab: the same
	KindDivLSTM     Kind = "divlstm"     // prepare, vocab: the same
	KindAttribution Kind = "attribution" // prepare, vocab, divlstm: scores.parquet, result.json
	KindMask        Kind = "mask"        // attribution: SPLIT.{0,1}.mask (one line of 0/1 per sentence) of the splits scored there, counts.json
	KindMaskScore   Kind = "mask-score"  // prepare, vocab, classifier, mask: result.json (accuracy and s-BLEU of masked dev and test text)
	KindSMLM        Kind = "smlm"        // prepare, vocab, mask: model.safetensors, model.json, history.json, result.json
	KindSMLMG       Kind = "smlm-g"      // prepare, vocab, mask: the same
	KindSMLMFT      Kind = "smlm-ft"     // prepare, vocab, mask, smlm: the same
	KindTransfer    Kind = "transfer"    // prepare, vocab, mask, model: output.{0,1}.txt, masked.{0,1}.txt (test split)
	KindVectors     Kind = "vectors"     // prepare: vectors.txt (the words of the data set's texts, or own ones), about.json
	KindLM          Kind = "lm"          // prepare, vocab: model.safetensors, model.json, history.json, result.json
	KindScore       Kind = "score"       // instruments, transfer: metrics.json (metrics.Scores), sentences.jsonl (metrics.Sentence)
	KindPublished   Kind = "published"   // instruments; settings name the system's files: the same
)

// Stage is one node of the graph. ID is sha256 over the canonical JSON of kind, version, settings
// and the inputs' IDs; equal stages are one stage however many points of a sweep need them.
type Stage struct {
	Kind     Kind
	ID       string
	Settings any               // what matters to this stage; a JSON-able struct of stagesettings.go
	Inputs   map[string]*Stage // by the names in the list of kinds
	Sources  map[string]string // absolute paths outside the workspace that it reads, by name (see Job); never part of the identity
	Label    string            // for humans: what tells it from its siblings, "lambda_eps 0.15, seed 2"; "" when it has none
}

// Precision returns the precision that a training is to have, as its settings name it; "" of other
// stages.
func (s *Stage) Precision() string {
	if t, ok := s.Settings.(interface{ InPrecision() string }); ok {
		return t.InPrecision()
	}
	return ""
}

// Job is what a stage's function is given.
type Job struct {
	Kind     Kind
	ID       string
	Dir      string            // an empty folder: write artefacts here; it becomes the stage's folder when the function returns nil
	Scratch  string            // kept if the run is interrupted and given again to the next try: checkpoints go here
	Inputs   map[string]string // folders of the inputs, by name
	Sources  map[string]string // files outside the workspace: prepare "dir"; naturalness and vectors "file"; score and published "wordnet"; published "0" and "1"
	Settings []byte            // canonical JSON of Stage.Settings
	Threads  int
	Devices  string                             // "auto", "cpu", "cuda" or "cuda:N"
	Used     Used                               // what the function took, for stage.json; set by it
	Progress func(done, total int, note string) // cheap; call it every batch
	Log      *slog.Logger
}

// Used is what "auto" came to: where a stage computed and in which precision it trained.
type Used struct {
	Device    string `json:"device,omitempty"`    // "cpu", "cuda:0"; "" where a stage needs no tensors
	Model     string `json:"gpu,omitempty"`       // of the CUDA device, "NVIDIA H100 80GB HBM3"
	Precision string `json:"precision,omitempty"` // "fp32" or "bf16", of trainings
}

// StageFunc runs one stage. It returns ctx.Err() soon after ctx ends.
type StageFunc func(ctx context.Context, job *Job) error
