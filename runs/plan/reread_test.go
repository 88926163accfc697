package plan

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestReread: another reading of the file has the stages that New gives it, and its data are not
// read again.
func TestReread(t *testing.T) {
	const text = "seeds = [1, 2]\n[datasets.tiny]\ndir = \"data\"\n"
	set := []string{"masking.methods=['explainable_attention','gradients']"}
	first := load(t, text)
	dir := filepath.Dir(first.Path)
	p := newPlan(t, first)
	other := loadIn(t, dir, text, set...)
	want := idsOf(newPlan(t, other))
	if slices.Equal(want, idsOf(p)) {
		t.Fatal("the settings change no stage")
	}
	before := idsOf(p)
	if err := os.RemoveAll(filepath.Join(dir, "data")); err != nil {
		t.Fatal(err)
	}
	again, err := p.Reread(other)
	if err != nil {
		t.Fatal(err)
	}
	if got := idsOf(again); !slices.Equal(got, want) {
		t.Errorf("it has the stages %v, New gives %v", got, want)
	}
	if again.Experiment != other || p.Experiment != first || !slices.Equal(before, idsOf(p)) {
		t.Error("the plan that it was made of changed")
	}
}

func idsOf(p *Plan) (ids []string) {
	for _, s := range p.Stages {
		ids = append(ids, s.ID)
	}
	return ids
}
