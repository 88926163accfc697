package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestRatings: if a data set has ratings, guided decoding uses a rater whose training starts from
// the model that decodes. Other ratings lead to another rater. Without ratings or without guided
// decoding there is no rater.
func TestRatings(t *testing.T) {
	ratings := filepath.Join(t.TempDir(), "ratings.csv")
	raw, err := os.ReadFile(inventedRatings)
	if err != nil {
		t.Fatal(err)
	}
	rater := func(set ...string) *Stage {
		settings := append([]string{"smlm.decoding=['copied','guided']"}, set...)
		var found *Stage
		for _, s := range newPlan(t, load(t, testkit.SmallStudy, settings...)).Stages {
			switch {
			case s.Name == stages.Rater:
				found = s
			case s.Name == stages.Transfer && s.Inputs["rater"] != nil && s.Inputs["rater"].Inputs["smlm"] != s.Inputs["model"]:
				t.Errorf("%s asks the rater of another model", s.Title())
			case s.Name == stages.Transfer && s.Inputs["model"].Name == stages.SMLMG && s.Inputs["rater"] != nil:
				t.Errorf("%s asks a rater", s.Title())
			}
		}
		return found
	}
	testkit.WriteFile(t, ratings, string(raw))
	given := "datasets.tiny.ratings=" + ratings
	if rater() != nil || rater(given, "smlm.decoding=['copied']") != nil {
		t.Error("without ratings or without guided outputs there is a rater")
	}
	before := rater(given)
	testkit.WriteFile(t, ratings, strings.Replace(string(raw), "dear", "nice", 1))
	after := rater(given)
	if before == nil || after == nil || before.ID == after.ID || before.Sources["1"] != ratings {
		t.Fatalf("%+v with other ratings is %+v", before, after)
	}
	auto := newPlan(t, load(t, testkit.SmallStudy, given, "masking.lambda_eps=auto", "smlm.models=['smlm']", "smlm.decoding=['guided']"))
	for _, s := range auto.Stages {
		if s.Name == "" {
			t.Error(`with lambda_eps = "auto", the rater starts from no model`)
		}
	}
	for text, want := range map[string]string{
		"direction\n": "ratings.csv:1: the first line must be",
		strings.ReplaceAll(string(raw), "0 to 1", "sad to merry"): `contains outputs of the direction "sad to merry"`,
	} {
		testkit.WriteFile(t, ratings, text)
		_, err := New(load(t, testkit.SmallStudy, "datasets.tiny.ratings="+ratings))
		const place = "--set datasets.tiny.ratings"
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), place) {
			t.Errorf("%v, want %q and where", err, want)
		}
	}
	if _, err := New(load(t, testkit.SmallStudy, "datasets.tiny.ratings=none.csv")); err == nil ||
		!strings.Contains(err.Error(), "none.csv") {
		t.Errorf("a file that does not exist: %v", err)
	}
}
