package nn

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// state is the state of a training run. A checkpoint holds the exported fields in one file and the
// tensors in another file, so that a resumed run gives bit-identical results.
type state struct {
	Epoch     int              `json:"epoch"`    // number of the current epoch, from 0
	Position  int              `json:"position"` // number of the next step in the epoch
	Steps     int              `json:"steps"`
	LossSum   float64          `json:"loss_sum"` // sum of the epoch's losses so far
	LossCount float64          `json:"loss_count"`
	History   History          `json:"history"`
	Adam      []int            `json:"adam_steps"`
	RNG       []byte           `json:"rng"`
	Before    float64          `json:"seconds"`   // seconds that earlier processes spent
	Tensors   string           `json:"tensors"`   // name of the file with the tensors
	Sum       string           `json:"sum"`       // sha256 of the file that Tensors names, in hex
	Device    string           `json:"device"`    // "cpu" or "cuda"
	Precision recipe.Precision `json:"precision"` // FP32 or BF16

	total   int // number of steps of all epochs
	started time.Time
	saved   time.Time // time of the last checkpoint, or of the start
	unread  []unreadStep
	best    [][]*torch.Tensor // a snapshot per optimizer, nil before the first epoch ends
}

const stateFile = "checkpoint.json"

// tensorsName matches the names of tensor files.
var tensorsName = regexp.MustCompile(`^checkpoint-\d+-\d+\.safetensors$`)

func (s *state) elapsed() float64 { return s.Before + time.Since(s.started).Seconds() }

func (s *state) free() {
	for _, u := range s.unread {
		u.free()
	}
	s.freeBest()
}

func (s *state) freeBest() {
	for _, set := range s.best {
		for _, t := range set {
			t.Free()
		}
	}
}

func (s *state) keepBest(task Task) {
	s.freeBest()
	s.best = nil
	for _, o := range task.Optimizers {
		s.best = append(s.best, o.Params.Snapshot())
	}
}

func (s *state) restoreBest(task Task) {
	for i, set := range s.best {
		task.Optimizers[i].Params.Restore(set)
	}
}

// namedTensors returns every tensor of a checkpoint with its name in the file.
func (s *state) namedTensors(task Task) (names []string, tensors []*torch.Tensor) {
	add := func(prefix string, i int, p *Params, ts []*torch.Tensor) {
		for k, t := range ts {
			names = append(names, fmt.Sprintf("%s%d.%s", prefix, i, p.Names()[k]))
			tensors = append(tensors, t)
		}
	}
	for i, o := range task.Optimizers {
		m, v := o.Moments()
		add("weights", i, o.Params, o.Params.All())
		add("moment1.", i, o.Params, m)
		add("moment2.", i, o.Params, v)
		if s.best != nil {
			add("best", i, o.Params, s.best[i])
		}
	}
	return names, tensors
}

// save writes the tensors to a new file and then the state, which names that file. Only then does
// it remove the old tensors, so there is always one complete checkpoint.
func (s *state) save(task Task, r Recipe) error {
	if r.Scratch == "" {
		return nil
	}
	old := s.Tensors
	err := torch.NoGrad(func() error {
		s.RNG, s.Adam, s.Before, s.started = torch.RNGState(), nil, s.elapsed(), time.Now()
		s.Device, s.Precision = machine.DeviceKind(torch.Device()), r.precision()
		for _, o := range task.Optimizers {
			s.Adam = append(s.Adam, o.Steps)
		}
		s.Tensors = fmt.Sprintf("checkpoint-%d-%d.safetensors", s.Epoch, s.Steps)
		names, tensors := s.namedTensors(task)
		path := filepath.Join(r.Scratch, s.Tensors)
		if err := saveTensors(path, names, tensors); err != nil {
			return err
		}
		var err error
		s.Sum, err = files.SHA256(path)
		return err
	})
	if err == nil {
		var text []byte
		if text, err = s.sealed(); err == nil {
			err = files.WriteBytes(filepath.Join(r.Scratch, stateFile), text)
		}
	}
	if err != nil {
		return fmt.Errorf("saving a checkpoint: %w", err)
	}
	if old != "" && old != s.Tensors {
		_ = os.Remove(filepath.Join(r.Scratch, old))
	}
	return nil
}

// restore loads the state and tensors of the checkpoint in the folder r.Scratch. Without a
// checkpoint, it returns a new state.
func restore(task Task, r Recipe) (*state, error) {
	s := &state{started: time.Now(), saved: time.Now()}
	if r.Scratch == "" {
		return s, nil
	}
	state := filepath.Join(r.Scratch, stateFile)
	raw, err := files.ReadSmall(state)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = s.unseal(raw)
	}
	if err != nil {
		return nil, damaged(state, err)
	}
	if err := s.checkSame(r); err != nil {
		return nil, err
	}
	// The seal does not prove who wrote the state. The next checkpoint deletes the file that the
	// state names, so accept only names of tensor files.
	if !tensorsName.MatchString(s.Tensors) || len(s.Adam) != len(task.Optimizers) {
		return nil, damaged(state, errNotAsWritten)
	}
	path := filepath.Join(r.Scratch, s.Tensors)
	if sum, err := files.SHA256(path); err != nil || sum != s.Sum {
		return nil, damaged(path, cmp.Or(err, errNotAsWritten))
	}
	err = torch.NoGrad(func() error {
		if len(s.History.Epochs) > 0 && !r.KeepLast {
			s.keepBest(task) // this makes tensors with the right shapes; loadTensors fills them
		}
		names, tensors := s.namedTensors(task)
		if err := loadTensors(path, names, tensors); err != nil {
			return err
		}
		for i, o := range task.Optimizers {
			o.Steps = s.Adam[i]
		}
		torch.SetRNGState(s.RNG)
		return nil
	})
	if err != nil {
		return nil, damaged(path, err)
	}
	return s, nil
}

// BegunIn returns the precision of the checkpoint in the folder scratch, or "" if there is none. An
// interrupted training run continues in the same precision.
func BegunIn(scratch string) recipe.Precision {
	var s struct {
		Precision recipe.Precision `json:"precision"`
	}
	raw, err := files.ReadSmall(filepath.Join(scratch, stateFile))
	if scratch == "" || err != nil || json.Unmarshal(raw, &s) != nil {
		return "" // restore reports the error
	}
	return s.Precision
}

// checkSame returns an error if the checkpoint is from another kind of device or has another
// precision (on another machine, "auto" may choose a different precision). If the run continued,
// the record of the training would describe only the second half. On another device, dropout would
// also use another random generator.
func (s *state) checkSame(r Recipe) error {
	if saved, current := s.Precision, r.precision(); saved != current {
		return fmt.Errorf(
			"the training was interrupted in %s and would continue in %s, which would be another training: "+
				"set its precision to %q, or remove the folder %q to train again from the start",
			saved, current, saved, r.Scratch,
		)
	}
	saved, current := s.Device, machine.DeviceKind(torch.Device())
	if saved == current {
		return nil
	}
	return fmt.Errorf(
		"the training was interrupted on %s and would continue on %s, which would be another training: run it "+
			"with --devices %s, or remove the folder %q to train again from the start",
		saved, current, saved, r.Scratch,
	)
}

// sealFormat is the end of checkpoint.json. The seal is the SHA-256, in hex, of all the text before
// it.
const sealFormat = ",\"seal\":\"%x\"}\n"

// sealed returns the text of checkpoint.json with the seal. Without a seal, nobody would notice a
// changed epoch or step count, and training would end in another model.
func (s *state) sealed() ([]byte, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSuffix(text, []byte("}"))
	return fmt.Appendf(text, sealFormat, sha256.Sum256(text)), nil
}

var errNotAsWritten = errors.New("it has been changed")

// unseal checks and decodes what sealed returns.
func (s *state) unseal(text []byte) error {
	i := max(0, bytes.LastIndex(text, []byte(`,"seal":"`)))
	if string(text[i:]) != fmt.Sprintf(sealFormat, sha256.Sum256(text[:i])) {
		return errNotAsWritten
	}
	if err := json.Unmarshal(text, s); err != nil {
		return errors.Join(errNotAsWritten, err)
	}
	return nil
}

// damaged returns the error for a checkpoint file that is not as it was written.
func damaged(path string, err error) error {
	return fmt.Errorf("training cannot continue from the checkpoint %q: %w: remove the folder %q to train "+
		"again from the start", path, err,
		filepath.Dir(path))
}
