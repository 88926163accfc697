package experiment

import (
	"reflect"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// TestSlurm: [slurm.STAGE] has what [slurm] says where it says nothing itself, and no identity sees
// either.
func TestSlurm(t *testing.T) {
	const text = "[datasets.d]\nbuiltin = \"demo\"\n"
	t.Chdir(t.TempDir())
	testkit.WriteFile(t, "plain.toml", text)
	testkit.WriteFile(t, "e.toml", text+"[slurm]\npartition = \"cpu\"\ntime = \"8:00:00\"\noptions = [\"--nice=3\"]\n"+
		"[slurm.smlm]\ngres = \"gpu:1\"\npartition = \"gpu\"\n")
	e, err := Load("e.toml", []string{"slurm.cpus=4", "slurm.smlm-ft.memory=16G"})
	if err != nil {
		t.Fatal(err)
	}
	all := SlurmSettings{Partition: "cpu", Time: "8:00:00", CPUs: 4, Grace: 120, Options: []string{"--nice=3"}}
	smlm, ft := all, all
	smlm.GRES, smlm.Partition = "gpu:1", "gpu"
	ft.Memory = "16G"
	for stage, want := range map[string]SlurmSettings{"divlstm": all, "smlm": smlm, "smlm-ft": ft, "": all} {
		if got := e.Slurm.Of(stage); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, want %+v", stage, got, want)
		}
	}
	plain, err := Load("plain.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := e.Points(), plain.Points(); !reflect.DeepEqual(a, b) {
		t.Errorf("points differ:\n%+v\n%+v", a, b)
	}
}
