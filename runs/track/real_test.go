package track

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// realPython is the environment variable that names a Python interpreter with the package
// tensorboard. `make test-trackers` installs the package and sets the variable.
const realPython = "SMLM_EXP_TRACKERS_PYTHON"

// TestRealTensorBoard: after a run that was interrupted and continued, TensorBoard's own reader
// finds every value of every training once.
func TestRealTensorBoard(t *testing.T) {
	if os.Getenv(realPython) == "" {
		t.Skip("needs tensorboard: `make test-trackers` installs it and runs this test")
	}
	s := newStudy(t)
	s.interrupted(t)
	for range 2 {
		if lacks, err := s.run(t.Context(), t); err != nil || lacks != nil {
			t.Fatal(err, lacks)
		}
	}
	script := filepath.Join("testdata", "tensorboard_scalars.py")
	out, err := exec.Command(os.Getenv(realPython), script, s.folder()).Output()
	if err != nil {
		t.Fatal(err)
	}
	var read map[string]map[string][][2]float64
	if err := json.Unmarshal(out, &read); err != nil {
		t.Fatal(err)
	}
	all := s.written(t)
	if len(read) != len(all) {
		t.Errorf("%d stages, %d in event files", len(all), len(read))
	}
	for of, steps := range all {
		want := map[string][][2]float64{}
		for _, s := range steps {
			for name, v := range s.values {
				want[name] = append(want[name], [2]float64{float64(s.number), float64(float32(v))})
			}
		}
		folder := filepath.Base(filepath.Dir(s.found(t, of.Name, of.ID)))
		if got := read[folder]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", of.Title(), got, want)
		}
	}
}
