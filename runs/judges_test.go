package runs

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestWeakJudgesAreSaid: under every table with columns of a classifier that is little better than
// chance on human text, once, and under no other.
func TestWeakJudgesAreSaid(t *testing.T) {
	const (
		good      = `{"dev_accuracy": 96, "test_accuracy": 95}` // of a training and of its accuracy
		evaluator = "TST% (and Mean, Acc.%) of tiny: measured by a classifier that is right in only 69.0 % of 900 human " +
			"test sentences (larger class: 66.7 %)."
		fastText = "TST% fastText of tiny: measured by a classifier that is right in only 69.0 % of 900 human test " +
			"sentences (larger class: 66.7 %)."
		whole = "TST% whole of tiny: measured by a classifier that is right in only 69.0 % of 900 human test sentences " +
			"(larger class: 66.7 %)."
		bayes = "TST% Bayes of tiny: measured by a classifier that is right in only 69.0 % of 900 human test sentences " +
			"(larger class: 66.7 %)."
		selector = "TST% (and Mean) of tiny: measured by a classifier that is right in only 52.0 % of 200 human dev " +
			"sentences (larger class: 50.0 %)."
	)
	all := map[stage.Name]string{
		stages.Classifier: "results seeds intervals significance attribution", stages.FastText: "results seeds",
		stages.Bayes: "results seeds", stages.Whole: "results seeds intervals significance",
	}
	for weak, note := range map[stage.Name]string{
		"": "", stages.Classifier: evaluator, stages.FastText: fastText, stages.Bayes: bayes,
		stages.Whole: whole,
	} {
		t.Run(string(weak), func(t *testing.T) {
			l := newLab(
				t, "masking.lambda_eps=0.15", "seeds=[1, 2]", "smlm.models=['smlm']",
				"metrics.judges=['whole', 'fasttext', 'bayes']", "report.tables=['results', 'seeds', 'selection', 'content', "+
					"'intervals', 'significance', 'attribution', 'classifier', 'divlstm']",
			)
			l.results()
			l.scoredAs(func(*stage.Job) int { return 7 })
			for _, name := range []stage.Name{stages.Classifier, stages.FastText, stages.Bayes, stages.Whole} {
				result := good
				if name == weak {
					result = `{"dev_accuracy": 52, "test_accuracy": 69}`
				}
				before, asked := l.funcs[name], l.funcs[stages.Accuracy]
				l.funcs[name] = func(ctx context.Context, job *stage.Job) error {
					err := before(ctx, job)
					testkit.WriteFile(l.t, filepath.Join(job.Dir, "result.json"), result)
					return err
				}
				l.funcs[stages.Accuracy] = func(ctx context.Context, job *stage.Job) error {
					err := asked(ctx, job)
					if filepath.Base(filepath.Dir(job.Inputs["model"])) == string(name) {
						testkit.WriteFile(l.t, filepath.Join(job.Dir, "result.json"), result)
					}
					return err
				}
			}
			l.mustRun(Options{})
			l.plan.Data["tiny"].Sizes = [3][]int{{9, 9}, {100, 100}, {300, 600}} // as many as an interval needs
			r, err := results.Collect(l.plan, l.ws)
			if err == nil {
				err = r.Test(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			got, want := map[string]string{}, map[string]string{}
			for _, table := range r.Tables() {
				want[table.Name] = ""
				if strings.Contains(" "+all[weak]+" ", " "+table.Name+" ") {
					want[table.Name] = note
				}
				if table.Name == "selection" && weak == stages.FastText {
					want[table.Name] = selector
				}
				var said []string
				for _, n := range table.Notes {
					if strings.Contains(n, "right in only") {
						said = append(said, n)
					}
				}
				got[table.Name] = strings.Join(said, "\n")
			}
			if d := cmp.Diff(want, got); d != "" || len(got) != 9 {
				t.Errorf("%d tables; notes (-want +got):\n%s", len(got), d)
			}
		})
	}
}
