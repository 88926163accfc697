// Package stages implements every kind of stage: it reads the inputs' folders, calls the models and
// the metrics, and writes the artefacts that docs/workspace.md lists.
package stages

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// StageFuncs returns the function of every kind of stage.
func (Torch) StageFuncs() map[stage.Kind]stage.Func {
	return map[stage.Kind]stage.Func{
		kind.Prepare:     of(prepare),
		kind.TestSet:     of(testSet),
		kind.Vocab:       of(buildVocab),
		kind.Naturalness: of(naturalnessWeights),
		kind.Classifier:  onTorch(of(trainClassifier)),
		kind.FastText:    of(trainFastText),
		kind.Bayes:       of(countBayes),
		kind.Guide:       onTorch(of(trainGuide)),
		kind.DivLSTM:     onTorch(of(trainDivLSTM)),
		kind.Accuracy:    onTorch(of(accuracy)),
		kind.Attribution: onTorch(of(attribution)),
		kind.Mask:        of(mask),
		kind.MaskScore:   onTorch(maskScore),
		kind.SMLM:        onTorch(of(trainSMLM)),
		kind.SMLMG:       onTorch(of(trainSMLMG)),
		kind.SMLMFT:      onTorch(of(trainSMLMFT)),
		kind.Transfer:    onTorch(of(transfer)),
		kind.Vectors:     of(vectors),
		kind.LM:          onTorch(of(trainLM)),
		kind.Fluency:     of(trainFluency),
		kind.Score:       onTorch(of(score)),
		kind.Published:   onTorch(of(published)),
		kind.METEOR:      of(scoreMETEOR),
		kind.Embedding:   of(scoreEmbedding),
	}
}

// of gives a stage's function its settings, as the struct that its kind has in package kind.
func of[S any](f func(context.Context, *stage.Job, S) error) stage.Func {
	return func(ctx context.Context, job *stage.Job) error {
		var s S
		if err := json.Unmarshal(job.Settings, &s); err != nil {
			return fmt.Errorf("reading the settings of a %s stage: %w", job.Kind, err)
		}
		return f(ctx, job, s)
	}
}

// onTorch runs a stage on the torch thread with the job's device and number of threads.
func onTorch(f stage.Func) stage.Func {
	return func(ctx context.Context, job *stage.Job) error {
		began := time.Now()
		err := onThreads(job.Devices, job.Threads, func() error {
			job.Used.Device, job.Used.Model, job.Used.Libtorch = torch.Device(), torch.GPU(), torch.Version()
			if why := torch.PassedOver(); why != "" {
				warnOnce.Do(func() { job.Log.Warn("the GPU is not used", "why", why) })
			}
			return f(ctx, job)
		})
		if time.Since(began) > trimAfter {
			torch.Trim()
			debug.FreeOSMemory()
		}
		return err
	}
}

// warnOnce: the reason is the same for all stages.
var warnOnce sync.Once

// trimAfter is how long a stage runs before it is worth giving its memory back: the next may need
// blocks of other sizes.
const trimAfter = 10 * time.Second

func writeJSON(dir, name string, v any) error {
	return files.Write(filepath.Join(dir, name), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

func readJSON(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	if err := files.ReadJSON(path, v); err != nil {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	return nil
}

// last keeps the two things that were read last: stages that come one after another often read the
// same, or in turn one of the training and one of the test sentences.
type last[T any] struct {
	sync.Mutex
	keys   [2]string
	values [2]T // the latest first
}

// get returns what load gives for key, which it calls only where two other keys were asked for
// since.
func (l *last[T]) get(key string, load func() (T, error)) (v T, err error) {
	l.Lock()
	defer l.Unlock()
	switch i := slices.Index(l.keys[:], key); {
	case i == 0 && key != "":
		return l.values[0], nil
	case i == 1 && key != "":
		v = l.values[1]
	default:
		if v, err = load(); err != nil {
			return v, err
		}
	}
	l.keys, l.values = [2]string{key, l.keys[0]}, [2]T{v, l.values[0]}
	return v, nil
}
