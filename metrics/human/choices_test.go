package human

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// TestChoiceSheets: what readers say comes back to the choices that they saw, however many a
// sentence has; equal ones are shown once, and those that nobody rated are left out.
func TestChoiceSheets(t *testing.T) {
	dir := t.TempDir()
	all := outputsOf(6)
	for i := range all {
		o := &all[i]
		if i%2 == 0 {
			o.Of = o.Of[:1+i/2%2]
		}
		for k := range o.Of {
			o.Notes = append(o.Notes, json.RawMessage(fmt.Sprintf("[%d,%d]", i, k)))
		}
	}
	if err := ExportSheets(t.Context(), dir, Reading{Dataset: "d", Seed: 5}, all, 2); err != nil {
		t.Fatal(err)
	}
	if sheets, choices, err := IsReading(dir); !sheets || !choices || err != nil {
		t.Errorf("sheets of choices are not known again: %v", err)
	}
	_, err := TallyChoices(dir)
	testkit.WantError(t, err, userr.BadInput, "sheet-1.csv has no filled item")
	fill(t, filepath.Join(dir, sheetFile(1)), 4)
	fill(t, filepath.Join(dir, sheetFile(2)), 12)
	rated, err := TallyChoices(dir)
	if err != nil {
		t.Fatal(err)
	}
	both, at := 0, 0
	for i := range all {
		for k := range all[i].Of {
			want := [][]int{{2}, {2}, {2}}
			if k == 1 {
				want = [][]int{{0}, {2}, {1}}
			}
			r := rated[at]
			var note []int
			if err := json.Unmarshal(r.Note, &note); err != nil {
				t.Fatal(err)
			}
			if len(r.Scores[0]) == 2 {
				both++
				for s := range want {
					want[s] = append(want[s], want[s]...)
				}
			}
			right := r.Sentence == all[i].Sentence && reflect.DeepEqual(note, []int{i, k})
			if !right || !reflect.DeepEqual(r.Scores, want) {
				t.Errorf("output %d of item %d has %+v, not %v", k, i, r, want)
			}
			at++
		}
	}
	if at != len(rated) || both == 0 || both == at {
		t.Errorf("%d outputs are rated, %d of them by both readers; there are %d", len(rated), both, at)
	}
	if skip, err := Skip(filepath.Join(dir, keyFile), "dev", nil); err != nil || len(skip) != len(all) {
		t.Errorf("the key names %d sentences to leave out (%v), not %d", len(skip), err, len(all))
	}
}
