package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/testkit/fakebackend"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// fakeTorch is the fake backend of the programs that scripts start: it trains nothing. These
// environment variables change what it does. STAGE is the name of a stage:
//
//	FAKE_RAN=FILE    append the name of every stage that ran to its end to FILE
//	FAKE_WAIT=STAGE  this stage creates the file "waiting" and waits until ctx ends
//	FAKE_HANG=STAGE  the same, but the stage ignores the end of ctx for a minute
//	FAKE_FAIL=STAGE  this stage fails
//	FAKE_FILL=STAGE  this stage writes until the disk is full
//	FAKE_OFF=STAGE   the result of this training says that attention is not on style words
//	FAKE_COPIES=yes  models return their sources as outputs
//	FAKE_MASKS=WHAT  masks hide "nothing" or "everything"; "style": they hide no style words
//	FAKE_BF16=no     this machine cannot compute in bfloat16
type fakeTorch struct{ fakebackend.Backend }

// CheckMachine does the fake backend's check, and fails if bfloat16 is needed and FAKE_BF16 is no.
func (f fakeTorch) CheckMachine(devices string, precisions []string) error {
	if slices.Contains(precisions, "bf16") && os.Getenv("FAKE_BF16") == "no" {
		return userr.New(userr.NoTorch, "precision is \"bf16\", but this is a fake")
	}
	return f.Backend.CheckMachine(devices, precisions)
}

// Run runs the stage as the environment variables say.
func (f fakeTorch) Run(ctx context.Context, job *stage.Job) error {
	is := func(name string) bool { return os.Getenv(name) == string(job.Name) }
	switch {
	case is("FAKE_WAIT"), is("FAKE_HANG"):
		job.Progress(1, 4, "epoch 1")
		if err := os.WriteFile("waiting", nil, 0o644); err != nil {
			return err
		}
		if is("FAKE_HANG") {
			time.Sleep(time.Minute)
		}
		<-ctx.Done()
		return ctx.Err()
	case is("FAKE_FAIL"):
		return errors.New("the loss is not a number at step 7")
	case is("FAKE_FILL"):
		if err := fill(filepath.Join(job.Dir, "model.safetensors")); err != nil {
			return err
		}
	}
	if os.Getenv("FAKE_COPIES") != "" {
		f.Flaw = metrics.LeftUnchanged
	}
	err := f.Backend.Run(ctx, job)
	if err == nil && is("FAKE_OFF") {
		err = attentionOff(job)
	}
	if r, ok := masksThatHide[os.Getenv("FAKE_MASKS")]; err == nil && ok && job.Name == stages.MaskScore {
		err = fakebackend.WriteJSON(job, "result.json", stages.MaskScores{Test: r})
	}
	path := os.Getenv("FAKE_RAN")
	if err != nil || path == "" {
		return err
	}
	ran, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer ran.Close()
	_, err = fmt.Fprintln(ran, job.Name)
	return err
}

// masksThatHide maps each value of FAKE_MASKS to what the study then measures on the 400 masked
// test sentences of the demo corpus. Without masks, a classifier finds the style of 89 % of these
// sentences.
var masksThatHide = map[string]stages.MaskResult{
	"nothing":    {MaskedShare: .04, NoneMasked: 301, Accuracy: 89},
	"everything": {MaskedShare: .987, AllMasked: 390, Accuracy: 50},
	"style":      {MaskedShare: .2, Accuracy: 88.5},
}

// fill writes to a file until writing fails.
func fill(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for range 1 << 20 {
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			return fmt.Errorf("writing the weights: %w", err)
		}
	}
	return nil
}

// attentionOff changes the result file of a training. The file then says that the model's attention
// is not on style words, even after the training was restarted three times.
func attentionOff(job *stage.Job) error {
	text, err := os.ReadFile(filepath.Join(job.Dir, "result.json"))
	if err != nil {
		return err
	}
	var result stages.TrainResult
	if err := json.Unmarshal(text, &result); err != nil {
		return err
	}
	result.Attention = &stages.AttentionHealth{Found: []float64{.5, .1}, Restarts: 3}
	return fakebackend.WriteJSON(job, "result.json", result)
}
