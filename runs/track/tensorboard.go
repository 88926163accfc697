package track

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// eventFile is the name of every event file; TensorBoard looks for "tfevents" in it, and takes the
// folder for the run.
const eventFile = "events.out.tfevents.0.smlm-exp"

// tensorBoard writes an event file a run.
type tensorBoard struct {
	folder string
}

func (b *tensorBoard) String() string { return "the event file in " + strconv.Quote(b.folder) }
func (b *tensorBoard) close()         {}

// dir is the folder of a run: that of before where its name was another, as more was swept.
func (b *tensorBoard) dir(r *Run) string {
	start := r.ID[:min(12, len(r.ID))]
	entries, _ := os.ReadDir(b.folder) // where there is none it is made
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), start+" ") {
			return filepath.Join(b.folder, entry.Name())
		}
	}
	return filepath.Join(b.folder, wording.Clip(start+" "+notInNames.ReplaceAllString(r.Name, " "), 120))
}

var notInNames = regexp.MustCompile(`[^A-Za-z0-9._,() =-]+`)

// send appends the steps that the file of the run does not have. One that has others, as a forced
// stage may have made, is written anew.
func (b *tensorBoard) send(_ context.Context, r *Run) error {
	dir := b.dir(r)
	path := filepath.Join(dir, eventFile)
	steps, whole, err := readEvents(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if whole == 0 || len(steps) > len(r.Steps) {
		steps, whole = nil, 0
	}
	for i, s := range steps {
		if s.Step != r.Steps[i].Step || !maps.Equal(s.Values, short(r.Steps[i].Values)) {
			steps, whole = nil, 0
			break
		}
	}
	var text []byte
	if whole == 0 {
		at := seconds(r.Steps[0].Time)
		text = appendRecord(text, firstEvent(at))
		text = appendRecord(text, textEvent(at, "parameters", markdown(r)))
	}
	for _, s := range r.Steps[len(steps):] {
		text = appendRecord(text, scalarsEvent(seconds(s.Time), s.Step, s.Values))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := files.OpenKept(path)
	if err != nil {
		return err
	}
	if err = f.Truncate(whole); err == nil {
		_, err = f.WriteAt(text, whole)
	}
	return errors.Join(err, f.Close())
}

// mostEvents is the most bytes of an event file: what is read takes many times as much.
const mostEvents = 16 << 20

// readEvents reads the steps of an event file, and how many bytes of it are whole records.
func readEvents(path string) (steps []event, whole int64, err error) {
	if size, _, _, err := files.Stat(path); err == nil && size > mostEvents {
		return nil, 0, fmt.Errorf("%q has over %d MB: move it away, and the next run writes a new one", path, mostEvents>>20)
	}
	text, err := files.ReadSmall(path)
	if err != nil {
		return nil, 0, err
	}
	for rest := text; ; {
		data, more, err := nextRecord(rest)
		if err != nil {
			return steps, int64(len(text) - len(rest)), nil //nolint:nilerr // a killed process left it
		}
		e, err := readEvent(data)
		if err != nil {
			return nil, 0, fmt.Errorf("reading %q: %w", path, err)
		}
		if rest = more; e.Values != nil {
			steps = append(steps, e)
		}
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

// short are values as event files have them.
func short(values map[string]float64) map[string]float32 {
	out := map[string]float32{}
	for name, v := range values {
		out[name] = float32(v)
	}
	return out
}

// markdown is a table of the parameters.
func markdown(r *Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n| | |\n|---|---|\n", r.Name)
	for _, key := range slices.Sorted(maps.Keys(r.Params)) {
		fmt.Fprintf(&b, "| %s | %s |\n", key, strings.ReplaceAll(r.Params[key], "|", `\|`))
	}
	return b.String()
}
