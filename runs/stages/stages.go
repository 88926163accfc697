// Package stages defines every stage of the study. Each stage has its own source file with its name
// and version, its settings, the stages that it reads, the files that it writes, and its code,
// which calls the models and the metrics. runs/plan decides which stages an experiment needs.
// docs/workspace.md lists all stages with their files; a test compares that list with the
// definitions here.
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

// The variable "all" has the definitions of all stages, in the order of the study.
var all = []stage.Definition{
	prepareStage, testSetStage, vocabStage, encoderStage, naturalnessStage, classifierStage,
	fastTextStage, unseenStage, unseenCNNStage, guideStage,
	fluencyStage, phrasesStage, divLSTMStage, accuracyStage, attributionStage, maskStage,
	maskScoreStage, lmStage,
	smlmStage, smlmGStage, smlmFTStage, tuneStage, transferStage, vectorsStage, scoreStage, publishedStage,
	meteorStage, embeddingStage, bertScoreStage,
}

// Run runs a stage's own code.
func Run(ctx context.Context, job *stage.Job) error {
	d := Definition(job.Name)
	if d.Run == nil {
		return fmt.Errorf("a bug in smlm-exp: nothing runs the stage %q", job.Name)
	}
	return d.Run(ctx, job)
}

// byName has the definitions of all stages.
var byName = func() map[stage.Name]*stage.Definition {
	out := map[stage.Name]*stage.Definition{}
	for i := range all {
		all[i].Place = i
		out[all[i].Name] = &all[i]
	}
	return out
}()

// Definition returns the definition of the stage with the given name, or an empty definition if
// there is no such stage.
func Definition(name stage.Name) *stage.Definition {
	if d := byName[name]; d != nil {
		return d
	}
	return &stage.Definition{}
}

// Names lists the names of the stages in the order of the study.
func Names() []stage.Name {
	return lists.Map(all, func(d stage.Definition) stage.Name { return d.Name })
}

// Version returns the version of the stage with the given name, or 0 if there is no such stage.
func Version(name stage.Name) int { return Definition(name).Version }

// The function "of" wraps the function f in a stage.Func, which decodes the job's settings and
// passes them to f.
func of[S any](f func(context.Context, *stage.Job, S) error) stage.Func {
	return func(ctx context.Context, job *stage.Job) error {
		var s S
		if err := json.Unmarshal(job.Settings, &s); err != nil {
			return fmt.Errorf("reading the settings of a %s stage: %w", job.Name, err)
		}
		return f(ctx, job, s)
	}
}

// onTorch returns a function that runs a stage on the OS thread reserved for libtorch. libtorch
// uses the device of the job, and at most job.Threads cores.
func onTorch(f stage.Func) stage.Func {
	return func(ctx context.Context, job *stage.Job) error {
		began := time.Now()
		err := onThreads(job.Devices, job.Threads, func() error {
			job.Used.Device, job.Used.Model, job.Used.Libtorch = torch.Device(), torch.GPU(), torch.Version()
			if why := torch.WhyNotCUDA(); why != "" {
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

// warnOnce makes only the first stage warn that the GPU is not used, because the reason is the same
// for all stages.
var warnOnce sync.Once

// trimAfter is a limit on the running time of a stage. After a longer stage, free memory goes back
// to the system, because the next stage may need blocks of other sizes.
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

// The type last is a cache of the two most recently used values. It helps because consecutive
// stages often read the same file, or alternate between training and test sentences.
type last[T any] struct {
	sync.Mutex
	keys   [2]string
	values [2]T // the most recently used value first
}

// get returns the value for the given key. If the value is not in the cache, get calls the function
// load to make it.
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
