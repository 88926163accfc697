package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestLeftovers: checkpoints of an unfinished stage are not leftovers if the stage is wanted.
func TestLeftovers(t *testing.T) {
	ws, _ := opened(t)
	if err := ws.Lock(); err != nil {
		t.Fatal(err)
	}
	defer ws.Unlock()
	for _, name := range []string{
		"stages/smlm/finished/model.json", "scratch/smlm/finished/checkpoint.json", "scratch/smlm/begun/checkpoint.json",
		"scratch/smlm/begun/.checkpoint.json.12", "scratch/lm/unwanted/checkpoint.json", "failed/lm-unwanted.json",
		"failed/.lm-unwanted.json.34", "reports/.e.html.56", "reports/e.html", "tables/e/.results.md.78", "tmp/lm-9/a",
		"notes.txt", ".version.90",
	} {
		testkit.WriteFile(t, filepath.Join(ws.Dir, filepath.FromSlash(name)), "1234")
	}
	rest, err := ws.Leftovers(func(id string) bool { return id != "unwanted" })
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, l := range rest {
		paths = append(paths, l.Path)
		if l.Size != 4 {
			t.Errorf("%s has %d bytes, want 4", l.Path, l.Size)
		}
	}
	want := []string{
		".version.90", "failed/.lm-unwanted.json.34", "failed/lm-unwanted.json", "reports/.e.html.56",
		"scratch/lm/unwanted", "scratch/smlm/finished", "tables/e/.results.md.78", "tmp/lm-9",
	}
	if slices.Sort(paths); !slices.Equal(paths, want) {
		t.Errorf("left over are %q, want %q", paths, want)
	}
	if err := ws.Discard(nil, rest); err != nil {
		t.Fatal(err)
	}
	for _, name := range want {
		if _, err := os.Lstat(filepath.Join(ws.Dir, filepath.FromSlash(name))); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	for _, name := range []string{"scratch/smlm/begun/checkpoint.json", "reports/e.html", "notes.txt", "version"} {
		if _, err := os.Lstat(filepath.Join(ws.Dir, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
}

// TestDiscardStaysInside: if a folder of the workspace is a link, nothing behind the link is listed
// or removed, even if Discard is called with its path.
func TestDiscardStaysInside(t *testing.T) {
	ws, _ := opened(t)
	if err := ws.Lock(); err != nil {
		t.Fatal(err)
	}
	defer ws.Unlock()
	outside := t.TempDir()
	id := strings.Repeat("0", 64)
	testkit.WriteFile(t, filepath.Join(outside, id, "thesis.tex"), "x")
	for _, link := range []string{ws.Path("stages", "smlm"), ws.Path("scratch", "smlm"), ws.Path("tables")} {
		if err := os.Symlink(outside, link); err != nil {
			t.Fatal(err)
		}
	}
	testkit.WriteFile(t, filepath.Join(outside, id, ".x.1"), "x")
	kept, err := ws.Kept()
	if err != nil || len(kept) > 0 {
		t.Errorf("listed %v, %v", kept, err)
	}
	rest, err := ws.Leftovers(func(string) bool { return false })
	if err != nil || len(rest) > 0 {
		t.Errorf("left over are %v, %v", rest, err)
	}
	if err := ws.Discard([]Kept{{Name: stages.SMLM, ID: id}}, nil); err == nil {
		t.Error("a stage behind a link was removed")
	}
	if err := ws.Discard(nil, []Leftover{{Path: "scratch/smlm/" + id}}); err == nil {
		t.Error("checkpoints behind a link were removed")
	}
	if err := ws.Discard(nil, []Leftover{{Path: "../" + filepath.Base(outside)}}); err == nil {
		t.Error("a folder beside the workspace was removed")
	}
	if _, err := os.Stat(filepath.Join(outside, id, ".x.1")); err != nil {
		t.Error(err)
	}
	ws.Unlock()
	if err := ws.Discard(nil, nil); err == nil {
		t.Error("it cleans without the lock")
	}
}
