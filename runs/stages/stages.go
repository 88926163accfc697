// Package stages implements every kind of stage: it reads the inputs' folders, calls the models and
// the metrics, and writes the artefacts that docs/workspace.md lists.
package stages

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// All returns the function of every kind.
func All() map[plan.Kind]plan.StageFunc {
	return map[plan.Kind]plan.StageFunc{
		plan.KindPrepare:     prepare,
		plan.KindVocab:       buildVocab,
		plan.KindNaturalness: naturalnessWeights,
		plan.KindClassifier:  onTorch(trainClassifier),
		plan.KindFastText:    trainFastText,
		plan.KindDivLSTM:     onTorch(trainDivLSTM),
		plan.KindAttribution: onTorch(attribution),
		plan.KindMask:        mask,
		plan.KindMaskScore:   onTorch(maskScore),
		plan.KindSMLM:        onTorch(trainSMLM),
		plan.KindSMLMG:       onTorch(trainSMLMG),
		plan.KindSMLMFT:      onTorch(trainSMLMFT),
		plan.KindTransfer:    onTorch(transfer),
		plan.KindVectors:     vectors,
		plan.KindLM:          onTorch(trainLM),
		plan.KindScore:       onTorch(score),
		plan.KindPublished:   onTorch(published),
	}
}

// onTorch runs a stage on the torch thread with the job's device and number of threads.
func onTorch(f plan.StageFunc) plan.StageFunc {
	return func(ctx context.Context, job *plan.Job) error {
		began := time.Now()
		err := onThreads(job.Devices, job.Threads, func() error {
			job.Used.Device, job.Used.Model = torch.Device(), torch.GPU()
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

// settings returns the job's settings as the struct its kind has in runs/plan/stagesettings.go.
func settings[T any](job *plan.Job) (T, error) {
	var s T
	if err := json.Unmarshal(job.Settings, &s); err != nil {
		return s, fmt.Errorf("reading the settings of a %s stage: %w", job.Kind, err)
	}
	return s, nil
}

func writeJSON(dir, name string, v any) error {
	return atomicfile.Write(filepath.Join(dir, name), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(v)
	})
}

func readJSON(dir, name string, v any) error {
	path := filepath.Join(dir, name)
	raw, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil {
		return fmt.Errorf("reading %q: %w", path, err)
	}
	return nil
}
