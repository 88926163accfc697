package stages

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/metrics/embedding"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

func vectorsOf(t *testing.T, s VectorsSettings, sources map[string]string) *embedding.Judge {
	t.Helper()
	job := &stage.Job{Dir: t.TempDir(), Inputs: demoInputs(t), Sources: sources}
	if err := vectors(t.Context(), job, s); err != nil {
		t.Fatal(err)
	}
	j, err := loadVectors(job.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestVectorsOfAFile: only the vectors of words that occur in the data set or in published outputs
// are copied from a file. The copy gives the same scores and the same signature as the whole file.
func TestVectorsOfAFile(t *testing.T) {
	dir := t.TempDir()
	path, outputs := filepath.Join(dir, "glove.txt"), filepath.Join(dir, "out.txt")
	text := "the 1 0 0\nsoup 0 1 0\nxylophonist 0 0 1\nquuxes 5 5 5\n"
	written, err := os.ReadFile(filepath.Join(demoInputs(t)["test"], "test.0.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for i, word := range strings.Fields(string(written)) {
		if i%5 == 0 {
			text += fmt.Sprintf("%s %d 2 1\n", word, i)
		}
	}
	for name, content := range map[string]string{path: text, outputs: "the xylophonist\n"} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	j := vectorsOf(
		t, VectorsSettings{File: "glove.txt", Hash: "x", Words: "y"},
		map[string]string{"file": path, "0.0": outputs},
	)
	all, err := embedding.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	whole := embedding.NewJudge(all, "glove.txt")
	got, want := j.Signature("greedy_matching"), whole.Signature("greedy_matching")
	if got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
	a, b := [][]string{{"the", "xylophonist", "unheard-of"}}, [][]string{{"soup", "the"}}
	ga, ge, gg := j.Similarities(a, b)
	wa, we, wg := whole.Similarities(a, b)
	if ga[0] != wa[0] || ge[0] != we[0] || gg[0] != wg[0] {
		t.Errorf("similarities %v %v %v, want %v %v %v", ga, ge, gg, wa, we, wg)
	}
}
