package workspace

import (
	"cmp"
	"io/fs"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/machine"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Kept is a finished stage in the workspace, of any experiment.
type Kept struct {
	Name   stage.Name
	ID     string
	Size   int64         // total size of its files in bytes
	Record *stage.Record // nil if the record is damaged
}

// path returns the path of the stage's folder, relative to the workspace's folder.
func (k *Kept) path() string { return path.Join("stages", string(k.Name), k.ID) }

var identityName = regexp.MustCompile("^[0-9a-f]{64}$")

// inside opens the workspace's folder as an os.Root, so that links cannot lead out of it.
func (w *Workspace) inside() (*os.Root, error) {
	if err := w.mustExist(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(w.Dir)
	if err != nil {
		return nil, w.Explain(err, "reading")
	}
	return root, nil
}

// Kept lists the finished stages in the order of the study (stages.Names). Stages with
// the same name are sorted by the time when they ended.
func (w *Workspace) Kept() ([]Kept, error) {
	root, err := w.inside()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var out []Kept
	for _, name := range stages.Names() {
		of := len(out)
		for _, id := range namesIn(root, path.Join("stages", string(name)), identityName.MatchString) {
			s := Kept{Name: name, ID: id}
			s.Size = sizeOf(root, s.path())
			s.Record, _ = stage.ReadRecord(w.Path("stages", string(name), id, stage.RecordFile))
			out = append(out, s)
		}
		slices.SortStableFunc(out[of:], func(a, b Kept) int {
			switch {
			case a.Record != nil && b.Record != nil:
				return a.Record.End.Compare(b.Record.End)
			case a.Record != nil:
				return -1
			}
			return cmp.Compare(a.ID, b.ID)
		})
	}
	return out, nil
}

// Failures reads the records of failed tries whose stages are still not finished, the latest first.
func (w *Workspace) Failures() []*stage.Record {
	var out []*stage.Record
	entries, _ := os.ReadDir(w.Path("failed"))
	for _, e := range entries {
		if path.Ext(e.Name()) != ".json" {
			continue
		}
		r, err := stage.ReadRecord(w.Path("failed", e.Name()))
		if err == nil && !w.has(string(r.Name), r.ID) {
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b *stage.Record) int { return b.End.Compare(a.End) })
	return out
}

// Checkpoints counts the unfinished stages that have a checkpoint.
func (w *Workspace) Checkpoints() (n int) {
	root, err := w.inside()
	if err != nil {
		return 0
	}
	defer root.Close()
	eachScratch(root, func(k, id string) {
		if names := namesIn(root, path.Join("scratch", k, id), nil); left(names) && !w.has(k, id) {
			n++
		}
	})
	return n
}

// The function left reports whether a scratch folder with these files has a checkpoint.
func left(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return name != stage.EpochsFile })
}

// The method has reports whether the folder of a finished stage exists.
func (w *Workspace) has(name, id string) bool {
	_, err := os.Lstat(w.Path("stages", name, id))
	return err == nil
}

// eachScratch loops over all folders two levels below scratch: for the folder scratch/A/B, it calls
// the function do with the names A and B.
func eachScratch(root *os.Root, do func(first, second string)) {
	for _, first := range namesIn(root, "scratch", nil) {
		for _, second := range namesIn(root, path.Join("scratch", first), nil) {
			do(first, second)
		}
	}
}

// namesIn lists the entries of a folder in order. It lists nothing if the folder is missing or
// outside the workspace. If the parameter "like" is not nil, namesIn lists only names for which
// like returns true.
func namesIn(root *os.Root, dir string, like func(string) bool) (names []string) {
	entries, _ := fs.ReadDir(root.FS(), dir)
	for _, e := range entries {
		if like == nil || like(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

// sizeOf adds up the sizes of the files at and below a path.
func sizeOf(root *os.Root, name string) (bytes int64) {
	_ = fs.WalkDir(root.FS(), name, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // what cannot be seen is not counted
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

// writtenFolders returns the existing folders in which the program writes files directly.
func (w *Workspace) writtenFolders() (dirs []string) {
	root, err := w.inside()
	if err != nil {
		return nil
	}
	defer root.Close()
	dirs = []string{w.Dir, w.Path("failed"), w.Path("reports")}
	for _, of := range []string{"tables", "figures"} {
		for _, name := range namesIn(root, of, nil) {
			dirs = append(dirs, w.Path(of, name))
		}
	}
	eachScratch(root, func(k, id string) { dirs = append(dirs, w.Path("scratch", k, id)) })
	return slices.DeleteFunc(dirs, func(dir string) bool {
		info, err := os.Lstat(dir)
		return err != nil || !info.IsDir()
	})
}

// leftTemporary lists temporary files that killed processes left in writtenFolders.
func (w *Workspace) leftTemporary() (paths []string) {
	for _, dir := range w.writtenFolders() {
		paths = append(paths, files.Leftovers(dir)...)
	}
	return paths
}

// NewRecord returns a record with what is known before the stage runs.
func NewRecord(s *plan.Stage, threads int) *stage.Record {
	host, _ := os.Hostname()
	r := &stage.Record{
		Name: s.Name, ID: s.ID, Version: stages.Version(s.Name), Label: s.Label, Settings: plan.Canonical(s.Settings),
		Inputs: map[string]string{}, Sources: s.Sources, Threads: threads, Command: os.Args,
		Go: runtime.Version(), Host: host, CPU: cpuModel(), Start: time.Now(),
	}
	r.Program, r.Commit = programVersion()
	for name, in := range s.Inputs {
		r.Inputs[name] = in.ID
	}
	return r
}

func programVersion() (version, commit string) {
	info, ok := machine.ReadBuild()
	if !ok {
		return "unknown", ""
	}
	if info.Modified {
		info.Commit += "+changes"
	}
	return machine.Release, info.Commit
}

// cpuModel returns the first model name in /proc/cpuinfo, or "".
var cpuModel = sync.OnceValue(func() string { return machine.ProcField("/proc/cpuinfo", "model name") })

// records reads the records of all finished stages in the workspace, except unreadable ones.
func (w *Workspace) records() []*stage.Record {
	var out []*stage.Record
	names, _ := fs.Glob(os.DirFS(w.Dir), "stages/*/*/"+stage.RecordFile) // the pattern is valid
	for _, name := range names {
		if r, err := stage.ReadRecord(w.Path(name)); err == nil {
			out = append(out, r)
		}
	}
	return out
}

// BuiltOn lists the records of all finished stages, of any experiment, that build on the given
// stages. It leaves out the given stages themselves.
func (w *Workspace) BuiltOn(some ...*plan.Stage) []*stage.Record {
	stale, own := map[string]bool{}, map[string]bool{}
	for _, s := range some {
		stale[s.ID], own[s.ID] = true, true
	}
	records := w.records()
	for grown := true; grown; {
		grown = false
		for _, r := range records {
			for _, id := range r.Inputs {
				if stale[id] && !stale[r.ID] {
					stale[r.ID], grown = true, true
				}
			}
		}
	}
	return lists.Filter(records, func(r *stage.Record) bool { return stale[r.ID] && !own[r.ID] })
}

// Invalidate removes all stages that build on s.
func (w *Workspace) Invalidate(s *plan.Stage) error {
	for _, r := range w.BuiltOn(s) {
		if err := w.Remove(w.Path("stages", string(r.Name), r.ID)); err != nil {
			return err
		}
	}
	return nil
}
