package data

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// TestSystemsOfSixDirections: with three styles, a system has up to six files, one per direction.
// Files with other names, and files of directions that the experiment does not ask for, are
// ignored.
func TestSystemsOfSixDirections(t *testing.T) {
	dir := t.TempDir()
	styles := corpus.Styles{"rude", "plain", "polite"}
	all := styles.Directions()
	var whole, most []string // the files of the systems A and B.1
	for _, way := range all {
		for _, name := range []string{"A", "B.1"} {
			if name == "A" || way != (corpus.Direction{From: 2, To: 0}) {
				testkit.WriteLines(t, filepath.Join(dir, name+"."+styles.Mark(way)+".txt"), 3, "an output")
			}
		}
		whole = append(whole, filepath.Join(dir, fmt.Sprintf("A.%d-%d.txt", way.From, way.To)))
		most = append(most, filepath.Join(dir, fmt.Sprintf("B.1.%d-%d.txt", way.From, way.To)))
	}
	most[4] = ""
	for _, name := range []string{"A.0.txt", "A.0-3.txt", "A.1-1.txt", "C.00-1.txt", "C.x.txt", ".0-1.txt"} {
		testkit.WriteLines(t, filepath.Join(dir, name), 3, "something else")
	}
	d := &Set{Labels: styles, Directions: all}
	found, err := d.systemsIn(dir, &experiment.Dataset{Name: "manners"}, outputsKey)
	want := []*System{{"A", whole, make([]string, 6)}, {"B.1", most, make([]string, 6)}}
	if diff := cmp.Diff(want, found); diff != "" || err != nil {
		t.Error(diff, err)
	}
	d.Directions = all[4:5]
	found, err = d.systemsIn(dir, &experiment.Dataset{Name: "manners"}, outputsKey)
	if err != nil || len(found) != 1 || found[0].Name != "A" || found[0].Files[4] == "" || found[0].Files[0] != "" {
		t.Errorf("from polite to rude there are %+v, %v", found, err)
	}
}
