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
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// StageFuncs returns the function of every kind of stage.
func (Torch) StageFuncs() map[stage.Kind]stage.Func {
	return map[stage.Kind]stage.Func{
		Prepare:     of(prepare),
		TestSet:     of(testSet),
		Vocab:       of(buildVocab),
		Naturalness: of(naturalnessWeights),
		Classifier:  onTorch(of(trainClassifier)),
		FastText:    of(trainFastText),
		Bayes:       of(countBayes),
		Guide:       onTorch(of(trainGuide)),
		DivLSTM:     onTorch(of(trainDivLSTM)),
		Accuracy:    onTorch(of(accuracy)),
		Attribution: onTorch(of(attribution)),
		Mask:        of(mask),
		MaskScore:   onTorch(maskScore),
		SMLM:        onTorch(of(trainSMLM)),
		SMLMG:       onTorch(of(trainSMLMG)),
		SMLMFT:      onTorch(of(trainSMLMFT)),
		Transfer:    onTorch(of(transfer)),
		Vectors:     of(vectors),
		LM:          onTorch(of(trainLM)),
		Fluency:     of(trainFluency),
		Score:       onTorch(of(score)),
		Published:   onTorch(of(published)),
		METEOR:      of(scoreMETEOR),
		Embedding:   of(scoreEmbedding),
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
