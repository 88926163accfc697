package experiment

import (
	"reflect"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestSlurm: overrides change [slurm], and [slurm] changes none of the experiment's Points.
func TestSlurm(t *testing.T) {
	const text = "[datasets.d]\nbuiltin = \"demo\"\n"
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "plain.toml", text)
	testkit.WriteFile(t, "e.toml", text+"[slurm]\noptions = [\"--nice=3\"]\nsetup = [\"module load cuda\"]\n")
	e, err := Load("e.toml", []string{`slurm.options=["--time=8:00:00", "-p", "gpu"]`})
	if err != nil {
		t.Fatal(err)
	}
	want := SlurmSettings{Options: []string{"--time=8:00:00", "-p", "gpu"}, Setup: []string{"module load cuda"}}
	if !reflect.DeepEqual(e.Slurm, want) {
		t.Errorf("%+v, want %+v", e.Slurm, want)
	}
	plain, err := Load("plain.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := e.Points(), plain.Points(); !reflect.DeepEqual(a, b) {
		t.Errorf("points differ:\n%+v\n%+v", a, b)
	}
}
