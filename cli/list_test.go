package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/data"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// TestKeepScores checks that on a machine without WordNet, a score that was measured with WordNet
// elsewhere counts as needed if all its inputs are needed.
func TestKeepScores(t *testing.T) {
	score := func(id string, wordnet bool, of string) workspace.Kept {
		r := &stage.Record{Inputs: map[string]string{"transfer": of, "test": "t"}}
		if wordnet {
			r.Sources = map[string]string{"wordnet": "wn"}
		}
		return workspace.Kept{Name: stages.Score, ID: id, Record: r}
	}
	kept := []workspace.Kept{
		score("a", true, "wanted"), score("b", true, "unwanted"), score("c", false, "wanted"),
		{Name: stages.Score, ID: "damaged"},
	}
	for _, found := range []bool{false, true} {
		s := &runs.Study{Plan: &plan.Plan{Study: &data.Study{}}}
		if found {
			s.Plan.WordNet.Dir = "wn"
		}
		on := &studies{
			all: []*runs.Study{s}, kept: kept, wanted: map[string][]string{"wanted": {"e.toml"}, "t": {"e.toml"}},
		}
		on.keepScores()
		want := map[string][]string{"wanted": {"e.toml"}, "t": {"e.toml"}}
		if !found {
			want["a"] = []string{"e.toml"}
		}
		if d := cmp.Diff(want, on.wanted); d != "" {
			t.Errorf("WordNet found %v (-want +got):\n%s", found, d)
		}
	}
}
