package workspace

import (
	"cmp"
	"time"

	"github.com/smlm-exp/smlm-exp/runs/kind"
	"github.com/smlm-exp/smlm-exp/runs/plan"
)

// Timings knows what stages took, to guess what others will take: by identity, by kind on the same
// data, and by kind.
type Timings map[timingKey]taken

// timingKey is an identity, or a kind and the data that it works on, or a kind.
type timingKey struct{ of, data string }

// taken is what a number of stages took.
type taken struct {
	sum    time.Duration
	n      int
	disk   int64 // bytes, of those that are on disk
	onDisk int
	memory int64 // most, of those that know theirs; 0 where none does
}

// taken is what the stage of a record took.
func (r *Record) taken() taken {
	t := taken{sum: time.Duration(r.Seconds * float64(time.Second)), n: 1, onDisk: 1}
	for _, f := range r.Files {
		t.disk += f.Size
	}
	if r.PeakOf == "stage" { // otherwise it is of all that the process did
		t.memory = r.Peak
	}
	return t
}

func (t taken) plus(more taken) taken {
	return taken{t.sum + more.sum, t.n + more.n, t.disk + more.disk, t.onDisk + more.onDisk, max(t.memory, more.memory)}
}

// timingKeys are where a stage's time counts, the nearest first. test and prepare are those inputs:
// what it works on is test, as some that read it read prepare too.
func timingKeys(kind kind.Kind, id, test, prepare string) [3]timingKey {
	return [3]timingKey{{of: id}, {string(kind), cmp.Or(test, prepare)}, {of: string(kind)}}
}

func timingKeysOf(s *plan.Stage) [3]timingKey {
	input := func(name string) string {
		if in := s.Inputs[name]; in != nil {
			return in.ID
		}
		return ""
	}
	return timingKeys(s.Kind, s.ID, input("test"), input("prepare"))
}

// Timings reads the times of all stages of the workspace.
func (w *Workspace) Timings() Timings {
	t := Timings{}
	for _, r := range w.records() {
		t.add(timingKeys(r.Kind, r.ID, r.Inputs["test"], r.Inputs["prepare"]), r.taken())
	}
	return t
}

// Add notes how long a stage took.
func (t Timings) Add(s *plan.Stage, d time.Duration) { t.add(timingKeysOf(s), taken{sum: d, n: 1}) }

func (t Timings) add(keys [3]timingKey, one taken) {
	t[keys[0]] = one // its last run
	for _, key := range keys[1:] {
		t[key] = t[key].plus(one)
	}
}

// Of guesses the stage's time: that of its last run, else the mean of its kind on the same data,
// else of its kind. ok is false where the workspace has none.
func (t Timings) Of(s *plan.Stage) (d time.Duration, ok bool) {
	for _, key := range timingKeysOf(s) {
		if m := t[key]; m.n > 0 {
			return m.sum / time.Duration(m.n), true
		}
	}
	return 0, false
}

// Disk guesses the bytes of a stage's files, as Of does its time.
func (t Timings) Disk(s *plan.Stage) (bytes int64, ok bool) {
	for _, key := range timingKeysOf(s) {
		if m := t[key]; m.onDisk > 0 {
			return m.disk / int64(m.onDisk), true
		}
	}
	return 0, false
}

// Memory guesses the most resident memory of a stage in bytes, the most that one of those took by
// which Of guesses.
func (t Timings) Memory(s *plan.Stage) (bytes int64, ok bool) {
	for _, key := range timingKeysOf(s) {
		if m := t[key]; m.memory > 0 {
			return m.memory, true
		}
	}
	return 0, false
}
