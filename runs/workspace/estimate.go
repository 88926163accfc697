package workspace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// estimate is what stages will take, as far as there is something to go by; what is not known of a
// stage is left out and counted.
type estimate struct {
	Time          time.Duration
	Rough         bool  // some of the time is by sizes alone
	Memory        int64 // bytes: most of one stage, on the CPU
	Disk          int64 // bytes
	UnknownTime   int   // stages
	UnknownMemory int
	UnknownDisk   int
}

// Estimate guesses what stages will take by what like stages of the workspace took, else by their
// sizes.
func (t Timings) Estimate(stages []*plan.Stage) (e estimate) {
	for _, s := range stages {
		if d, how := t.guess(s); how != unknown {
			e.Time += d
			e.Rough = e.Rough || how == rough
		} else {
			e.UnknownTime++
		}
		if bytes, ok := t.Disk(s); ok {
			e.Disk += bytes
		} else {
			e.UnknownDisk++
		}
		if bytes, ok := t.Memory(s); ok {
			e.Memory = max(e.Memory, bytes)
		} else {
			e.UnknownMemory++
		}
	}
	return e
}

// String words what is known and what is not: "about 4m10s; up to 412 MB of memory; about 35 MB of
// disk", or "at least 4m10s; at least 412 MB of memory; at least 35 MB of disk; time, memory and
// disk unknown for 2 stages"; "" of no stages.
func (e estimate) String() string {
	var parts []string
	or := func(known string, unknown int) string {
		if unknown > 0 {
			return "at least "
		}
		return known
	}
	if e.Time > 0 {
		about := "about "
		if e.Rough {
			about = "roughly "
		}
		parts = append(parts, or(about, e.UnknownTime)+wording.Short(e.Time))
	}
	if e.Memory > 0 {
		parts = append(parts, or("up to ", e.UnknownMemory)+wording.Bytes(e.Memory)+" of memory")
	}
	if e.Disk > 0 {
		parts = append(parts, or("about ", e.UnknownDisk)+wording.Bytes(e.Disk)+" of disk")
	}
	if n := e.UnknownTime; n > 0 && n == e.UnknownMemory && n == e.UnknownDisk {
		return strings.Join(append(parts, "time, memory and disk unknown for "+wording.Count(n, "stage")), "; ")
	}
	for _, u := range []struct {
		what string
		n    int
	}{{"time", e.UnknownTime}, {"memory", e.UnknownMemory}, {"disk", e.UnknownDisk}} {
		if u.n > 0 {
			parts = append(parts, u.what+" unknown for "+wording.Count(u.n, "stage"))
		}
	}
	return strings.Join(parts, "; ")
}

// Free returns the bytes that are free on the workspace's disk.
func (w *Workspace) Free() (bytes int64, ok bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(w.Dir, &disk); err != nil {
		return 0, false
	}
	return int64(disk.Bavail) * int64(disk.Bsize), true
}

// Timings knows what stages took, to guess what others will take: by identity, and by name, data
// and size. Of another size or on other data a time is guessed from the sizes and this machine's
// speed, and that roughly.
type Timings struct {
	known map[timingKey]taken
	nodes map[*plan.Stage]*node // of stages, which are asked for again and again
	size  *bySize               // nil: nothing is guessed from sizes
}

// NewTimings returns Timings that know nothing.
func NewTimings() Timings {
	return Timings{known: map[timingKey]taken{}, nodes: map[*plan.Stage]*node{}}
}

// timingKey is an identity; or the name of a stage, the data that it works on and how large it is.
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
		n = &node{name: s.Name, id: s.ID, inputs: make(map[string]*node, len(s.Inputs))}
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

// Timings reads the times of all stages of the workspace, to guess those of a plan's; of another
// machine than this one, as Slurm's, nothing is guessed from sizes: nil.
func (w *Workspace) Timings(p *plan.Plan) Timings {
	t := NewTimings()
	if p != nil {
		t.size = newBySize(p, w.here)
	}
	records := w.records()
	nodes := make(map[string]*node, len(records))
	for _, r := range records {
		n := &node{name: r.Name, id: r.ID, inputs: make(map[string]*node, len(r.Inputs))}
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
	if p != nil && len(records) > 0 {
		for _, s := range p.Stages {
			if one, ok := t.known[timingKey{of: s.ID}]; ok {
				t.size.learn(s, one.sum)
			}
		}
	}
	return t
}

// Add notes how long a stage took.
func (t Timings) Add(s *plan.Stage, d time.Duration) {
	n := t.node(s)
	t.add(n, taken{sum: d, epochs: n.passes()})
	t.size.learn(s, d)
}

func (t Timings) add(n *node, one taken) {
	t.known[timingKey{of: n.id}] = one // its last run
	if key := n.key(); key.data != "" {
		t.known[key] = t.known[key].plus(one)
	}
}

// near lists what is known of a stage's last run, and of stages of its name on the same data and as
// large: nothing where nothing has run, which a large plan is not walked for.
func (t Timings) near(s *plan.Stage) [2]taken {
	if len(t.known) == 0 {
		return [2]taken{}
	}
	return [2]taken{t.known[timingKey{of: s.ID}], t.known[t.node(s).key()]}
}

// guessed is how a time was guessed.
type guessed int

const (
	unknown guessed = iota
	alike           // by the stage's last run, or by stages on the same data and as large
	rough           // by its size
)

// Of guesses the stage's time: that of its last run, else by the epochs of stages of its name on
// the same data and as large, else by its size. ok is false where none of these is known.
func (t Timings) Of(s *plan.Stage) (d time.Duration, ok bool) {
	d, how := t.guess(s)
	return d, how != unknown
}

func (t Timings) guess(s *plan.Stage) (time.Duration, guessed) {
	for _, m := range t.near(s) {
		if m.epochs > 0 {
			return time.Duration(float64(m.sum) / float64(m.epochs) * float64(t.node(s).passes())), alike
		}
	}
	if d, ok := t.size.of(s); ok {
		return d, rough
	}
	return 0, unknown
}

// Disk guesses the bytes of a stage's files, as Of does its time.
func (t Timings) Disk(s *plan.Stage) (bytes int64, ok bool) {
	for _, m := range t.near(s) {
		if m.onDisk > 0 {
			return m.disk / int64(m.onDisk), true
		}
	}
	return t.size.disk(s)
}

// Memory guesses the most resident memory of a stage in bytes: the most that one of those took by
// which Of guesses, else by its size where it trains from a pretrained encoder, which may take more
// than a machine has.
func (t Timings) Memory(s *plan.Stage) (bytes int64, ok bool) {
	for _, m := range t.near(s) {
		if m.memory > 0 {
			return m.memory, true
		}
	}
	return t.size.memory(s)
}

// node is a stage, planned or on disk, with what its time, memory and disk depend on.
type node struct {
	name   stage.Name
	id     string
	size   string // by its own settings, "" where it trains nothing
	epochs int
	inputs map[string]*node
	known  timingKey // see key
}

// passes is how often a stage goes through its data.
func (n *node) passes() int { return max(n.epochs, 1) }

// key is where the node counts beside its identity: with stages of its name on the same data, test
// or prepare, and vocabulary, where it and the models that it reads are as large. A mask has its
// attribution's data.
func (n *node) key() timingKey {
	if n.known.of != "" {
		return n.known
	}
	on := n
	if in := n.inputs["attribution"]; in != nil {
		on = in
	}
	id := func(name string) string {
		if in := on.inputs[name]; in != nil {
			return in.id
		}
		return ""
	}
	size := n.size
	for _, name := range slices.Sorted(maps.Keys(n.inputs)) {
		if in := n.inputs[name]; in.size != "" {
			size += name + ": " + in.size
		}
	}
	n.known = timingKey{string(n.name), cmp.Or(id("test"), id("prepare")) + id("vocab"), size}
	return n.known
}

// sizes are the settings of a training by which a step takes longer or more memory.
var sizes = []string{
	"accumulate", "attention", "batch_tokens", "bidirectional", "dim", "embedding", "ff", "filters", "head_layers", "heads",
	"hidden", "judge", "latent", "layers", "max_steps", "precision", "widths",
}

// trainingSize finds in the JSON of a training's settings how large it is, and its epochs.
func trainingSize(settings []byte) (size string, epochs int) {
	all := map[string]any{}
	if !bytes.Contains(settings, []byte(`"precision"`)) || json.Unmarshal(settings, &all) != nil {
		return "", 0
	}
	var out strings.Builder
	var find func(in map[string]any)
	find = func(in map[string]any) {
		for _, key := range slices.Sorted(maps.Keys(in)) {
			if group, ok := in[key].(map[string]any); ok { // SMLM-G's encoder and decoder
				find(group)
				continue
			}
			if n, ok := in[key].(float64); ok && key == "epochs" {
				epochs = max(epochs, int(n))
			}
			if slices.Contains(sizes, key) {
				fmt.Fprintf(&out, "%s %v; ", key, in[key])
			}
		}
	}
	find(all)
	return out.String(), epochs
}

// spentFile lies among a stage's checkpoints and holds the seconds that the tries which left them
// took.
const spentFile = "seconds"

// left says whether a stage left something to go on from, by the names in its scratch folder.
func left(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return name != stage.EpochsFile })
}

// Spent returns the seconds of earlier tries that this one goes on from, 0 where there are none.
func (w *Workspace) Spent(s *plan.Stage) float64 {
	text, err := files.ReadSmall(filepath.Join(w.ScratchDir(s), spentFile))
	if err != nil {
		return 0
	}
	seconds, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if err != nil {
		return 0
	}
	return seconds
}

// KeepSpent notes how long a stage that did not end has taken so far, where it left a checkpoint to
// go on from. The figure is for people and estimates only, so that a failure to write it is no
// error.
func (w *Workspace) KeepSpent(s *plan.Stage, seconds float64) {
	dir := w.ScratchDir(s)
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !left(names) {
		return
	}
	_ = files.Write(filepath.Join(dir, spentFile), func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "%.3f\n", seconds)
		return err
	})
}
