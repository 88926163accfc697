package workspace

import (
	"time"

	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Timings knows what stages took, to guess what others will take: by identity, and by kind, data
// and size. Of another size or on other data nothing is guessed: a demo's seconds say nothing of
// hours.
type Timings struct {
	known map[timingKey]taken
	nodes map[*plan.Stage]*node // of stages, which are asked for again and again
}

// NewTimings returns Timings that know nothing.
func NewTimings() Timings {
	return Timings{known: map[timingKey]taken{}, nodes: map[*plan.Stage]*node{}}
}

// timingKey is an identity, or a kind, the data that it works on and how large it is.
type timingKey struct{ of, data, size string }

// taken is what a number of stages took.
type taken struct {
	sum    time.Duration
	epochs int   // of all; 1 of a stage that trains nothing
	disk   int64 // bytes, of those that are on disk
	onDisk int
	memory int64 // most, of those that know theirs; 0 where none does
}

// takenBy is what the stage of a record took, in so many epochs.
func takenBy(r *stage.Record, epochs int) taken {
	t := taken{sum: time.Duration(r.Seconds * float64(time.Second)), epochs: epochs, onDisk: 1}
	for _, f := range r.Files {
		t.disk += f.Size
	}
	if r.PeakOf == "stage" { // otherwise it is of all that the process did
		t.memory = r.Peak
	}
	return t
}

func (t taken) plus(more taken) taken {
	return taken{
		sum: t.sum + more.sum, epochs: t.epochs + more.epochs, disk: t.disk + more.disk,
		onDisk: t.onDisk + more.onDisk, memory: max(t.memory, more.memory),
	}
}

// node finds what a guess about a stage goes by.
func (t Timings) node(s *plan.Stage) *node {
	n, ok := t.nodes[s]
	if !ok {
		n = &node{kind: s.Kind, id: s.ID, inputs: make(map[string]*node, len(s.Inputs))}
		if s.Precision() != "" { // only what trains has a size of its own
			text, _ := s.SettingsJSON() // of a stage with an identity it is there
			n.size, n.epochs = trainingSize(text)
		}
		for name, in := range s.Inputs {
			n.inputs[name] = t.node(in)
		}
		t.nodes[s] = n
	}
	return n
}

// Timings reads the times of all stages of the workspace.
func (w *Workspace) Timings() Timings {
	t := NewTimings()
	records := w.records()
	nodes := make(map[string]*node, len(records))
	for _, r := range records {
		n := &node{kind: r.Kind, id: r.ID, inputs: make(map[string]*node, len(r.Inputs))}
		n.size, n.epochs = trainingSize(r.Settings)
		nodes[r.ID] = n
	}
	for _, r := range records {
		n := nodes[r.ID]
		for name, id := range r.Inputs {
			if n.inputs[name] = nodes[id]; n.inputs[name] == nil { // cleaned away, or unreadable
				n.inputs[name] = &node{id: id}
			}
		}
	}
	for _, r := range records {
		n := nodes[r.ID]
		t.add(n, takenBy(r, n.passes()))
	}
	return t
}

// Add notes how long a stage took.
func (t Timings) Add(s *plan.Stage, d time.Duration) {
	n := t.node(s)
	t.add(n, taken{sum: d, epochs: n.passes()})
}

func (t Timings) add(n *node, one taken) {
	t.known[timingKey{of: n.id}] = one // its last run
	if key := n.key(); key.data != "" {
		t.known[key] = t.known[key].plus(one)
	}
}

// near lists what is known of a stage's last run, and of its kind on the same data and as large:
// nothing where nothing has run, which a large plan is not walked for.
func (t Timings) near(s *plan.Stage) [2]taken {
	if len(t.known) == 0 {
		return [2]taken{}
	}
	return [2]taken{t.known[timingKey{of: s.ID}], t.known[t.node(s).key()]}
}

// Of guesses the stage's time: that of its last run, else by the epochs of its kind on the same
// data and as large. ok is false where the workspace has none.
func (t Timings) Of(s *plan.Stage) (d time.Duration, ok bool) {
	for _, m := range t.near(s) {
		if m.epochs > 0 {
			return time.Duration(float64(m.sum) / float64(m.epochs) * float64(t.node(s).passes())), true
		}
	}
	return 0, false
}

// Disk guesses the bytes of a stage's files, as Of does its time.
func (t Timings) Disk(s *plan.Stage) (bytes int64, ok bool) {
	for _, m := range t.near(s) {
		if m.onDisk > 0 {
			return m.disk / int64(m.onDisk), true
		}
	}
	return 0, false
}

// Memory guesses the most resident memory of a stage in bytes, the most that one of those took by
// which Of guesses.
func (t Timings) Memory(s *plan.Stage) (bytes int64, ok bool) {
	for _, m := range t.near(s) {
		if m.memory > 0 {
			return m.memory, true
		}
	}
	return 0, false
}
