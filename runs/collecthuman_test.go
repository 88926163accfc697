package runs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/report"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

const voted = `[datasets.tiny]
dir = "data"
labels = ["sad", "glad"]
votes = "votes.csv"
voted_on = ["Tag", "SMLM"]
[smlm]
models = []
[masking]
methods = []
[report]
tables = ["human"]
`

func TestCollectHuman(t *testing.T) {
	dir := t.TempDir()
	testkit.WriteData(t, filepath.Join(dir, "data"), 3)
	collect := func(votes string) (*results.Results, error) {
		testkit.WriteFile(t, filepath.Join(dir, "votes.csv"), "direction,item,annotator,vote\n"+votes)
		p, err := plan.New(loadIn(t, dir, voted))
		if err != nil {
			return nil, err
		}
		ws, err := workspace.Open(filepath.Join(dir, "workspace"))
		if err != nil {
			t.Fatal(err)
		}
		return results.Collect(p, ws)
	}
	r, err := collect(
		"sad to glad,1,ann,a\nsad to glad,1,bob,a\nsad to glad,1,cy,b\n" +
			"glad to sad,1,ann,both\nglad to sad,1,bob,neither\nglad to sad,1,cy,a\n",
	)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Human {
		r.Human[i].Kappa = nil // package metrics tests it
	}
	want := []report.HumanRow{
		{Dataset: "tiny", From: "sad", To: "glad", A: "Tag", B: "SMLM", ABetter: 1, Annotators: 3},
		{Dataset: "tiny", From: "glad", To: "sad", A: "Tag", B: "SMLM", NoAgreement: 1, Annotators: 3},
	}
	if d := cmp.Diff(want, r.Human); d != "" {
		t.Errorf("rows (-want +got):\n%s", d)
	}
	tables := r.Tables()
	if len(tables) != 1 || tables[0].Name != "human" {
		t.Fatalf("%d tables", len(tables))
	}
	_, err = collect("sad to sad,1,ann,a\n")
	testkit.WantError(t, err, userr.BadInput, "datasets.tiny.votes", `"sad to sad"`, `"sad to glad" or "glad to sad"`)
	_, err = collect("sad to glad,1,ann,c\n")
	testkit.WantError(t, err, userr.BadInput, "votes.csv:2")
	_, err = experiment.Load(filepath.Join(dir, "e.toml"), []string{"datasets.tiny.voted_on=['Tag']"})
	testkit.WantError(t, err, userr.BadInput, "must have both votes (a CSV file) and voted_on")
	if !strings.Contains(r.About.Data[0], "tiny") {
		t.Error(r.About.Data)
	}
}
