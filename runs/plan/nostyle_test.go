package plan

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestNoStyle: sentences of no style add stages, and change what writes and what measures that;
// nothing that trains, and no stage of the other sentences and their masks, is another.
func TestNoStyle(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	writeNoStyle(t, filepath.Join(dir, "data"))
	plan := func(set ...string) map[stage.Name][]string {
		return ids(newPlan(t, loadIn(t, dir, allMatters, append(set, "smlm.source_token=false", "report.tables=['selection']")...)))
	}
	off, on := plan(), plan("datasets.tiny.no_style=true")
	var changed, added []string
	for name := range on {
		kept := !slices.ContainsFunc(off[name], func(id string) bool { return !slices.Contains(on[name], id) })
		switch {
		case !kept:
			changed = append(changed, string(name))
		case len(on[name]) > len(off[name]):
			added = append(added, string(name))
		}
	}
	slices.Sort(changed)
	slices.Sort(added)
	if got := strings.Join(changed, " "); got != "embedding published score transfer" {
		t.Errorf("stages of %q are others", got)
	}
	if got := strings.Join(added, " "); got != "attribution mask no-style" {
		t.Errorf("there are more of the stages %q", got)
	}
}

// TestNoStyleDirections: fine-tuning asks for a style into which sentences of no style are
// rewritten, from every other style.
func TestNoStyleDirections(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	writeNoStyle(t, filepath.Join(dir, "data"))
	none := corpus.Direction{From: corpus.NoStyle, To: 1}
	for _, c := range []struct {
		directions     string
		trains, writes []corpus.Direction
	}{
		{"[]", nil, nil},
		{"['none -> 1']", []corpus.Direction{{From: 0, To: 1}}, []corpus.Direction{none}},
		{"['none->1', '1 -> 0']", nil, []corpus.Direction{{From: 1, To: 0}, none}},
	} {
		p := newPlan(t, loadIn(t, dir, testkit.SmallStudy, "datasets.tiny.no_style=true", "smlm.source_token=false",
			"smlm.models=['smlm-ft']", "datasets.tiny.directions="+c.directions))
		for _, s := range p.Stages {
			switch settings := s.Settings.(type) {
			case stages.SMLMFTSettings:
				if !slices.Equal(settings.Directions, c.trains) {
					t.Errorf("%s: fine-tuned in %v, want %v", c.directions, settings.Directions, c.trains)
				}
			case stages.TransferSettings:
				if !slices.Equal(settings.Directions, c.writes) {
					t.Errorf("%s: written in %v, want %v", c.directions, settings.Directions, c.writes)
				}
			}
		}
	}
}

// TestNoStyleOnlyScored: an experiment without models scores outputs of others.
func TestNoStyleOnlyScored(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	writeNoStyle(t, filepath.Join(dir, "data"))
	testkit.WriteLines(t, filepath.Join(dir, "systems", "S.none-1.txt"), 2, "an output")
	p := newPlan(t, loadIn(t, dir, testkit.SmallStudy, "datasets.tiny.no_style=true", "smlm.models=[]",
		"datasets.tiny.outputs=systems", "datasets.tiny.directions=['none -> 1']"))
	if len(p.Published) != 1 || p.Published[0].Score.Inputs["no-style"] == nil || p.Published[0].Score.Sources["3"] == "" {
		t.Errorf("published rows %v", p.Published)
	}
	for _, s := range p.Stages {
		if s.Name == stages.Mask && s.Inputs["attribution"].Inputs["no-style"] != nil {
			t.Errorf("%s masks what no model rewrites", s.Title())
		}
	}
}
