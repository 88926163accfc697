// Package stages has every stage of the study, those that belong together in one file: its name and
// version, the settings that matter to it, the stages that it reads, the files that it writes, and
// its code, which calls the models and the metrics. runs/plan decides which stages an experiment
// needs; docs/workspace.md lists what they write, and a test holds it to the definitions here.
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
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// all lists the kinds in the order of the study.
var all = []stage.Definition{
	prepareKind, testSetKind, vocabKind, naturalnessKind, classifierKind, fastTextKind, bayesKind, guideKind,
	fluencyKind, divLSTMKind, accuracyKind, attributionKind, maskKind, maskScoreKind, smlmKind, smlmGKind, smlmFTKind,
	transferKind, vectorsKind, lmKind, scoreKind, publishedKind, meteorKind, embeddingKind,
}

// Run runs a stage by the code of its kind.
func Run(ctx context.Context, job *stage.Job) error {
	d := definition(job.Kind)
	if d.Run == nil {
		return fmt.Errorf("a bug in smlm-exp: nothing runs stages of kind %q", job.Kind)
	}
	return d.Run(ctx, job)
}

// definition returns what is known of a kind, nothing of one that there is not.
func definition(k stage.Kind) stage.Definition {
	for i := range all {
		if all[i].Name == k {
			return all[i]
		}
	}
	return stage.Definition{}
}

// Names lists the kinds in the order of the study.
func Names() []stage.Kind {
	return lists.Map(all, func(d stage.Definition) stage.Kind { return d.Name })
}

// Version returns the version of a kind, 0 of one that there is not.
func Version(k stage.Kind) int { return definition(k).Version }

// of gives a stage's function its settings.
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
