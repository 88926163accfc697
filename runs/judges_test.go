package runs

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/results"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// TestWeakJudgesAreSaid checks the warnings about classifiers that are little better than chance on
// human text. Each table with a column computed by such a classifier has one note about it. Other
// tables have none.
func TestWeakJudgesAreSaid(t *testing.T) {
	const (
		weakly = ": the classifier that computes it recognises 69.0 % of 900 human test sentences, too few to trust it " +
			"(always answering the larger class: 66.7 %)."
		// enough sentences for a confidence interval
		manySentences = `{"name": "tiny", "labels": ["0", "1"], "sentences": {"train": [9, 9], "dev": [100, 100], "test": [300, 600]}}`
		good          = `{"dev_accuracy": 96, "test_accuracy": 95}` // result.json of judges and accuracy stages
		evaluator     = "TST% (and Mean, Acc.%) of tiny" + weakly
		fastText      = "TST% fastText of tiny" + weakly
		unseen        = "TST% unseen of tiny" + weakly
		selector      = "TST% (and Mean) of tiny: the classifier that computes it recognises 52.0 % of 200 human dev " +
			"sentences, too few to trust it (always answering the larger class: 50.0 %)."
	)
	all := map[stage.Name]string{
		stages.Classifier: "main results seeds intervals significance attribution", stages.FastText: "results seeds",
		stages.UnseenCNN: "main results seeds intervals significance",
	}
	for weak, note := range map[stage.Name]string{
		"": "", stages.Classifier: evaluator, stages.FastText: fastText,
		stages.UnseenCNN: unseen,
	} {
		t.Run(string(weak), func(t *testing.T) {
			l := newLab(
				t, "datasets.tiny.unseen='"+unseenFolder(t)+"'", "masking.lambda_eps=0.15", "seeds=[1, 2]", "smlm.models=['smlm']",
				"report.tables=['main', 'results', 'seeds', 'selection', 'content', "+
					"'intervals', 'significance', 'attribution', 'classifier', 'divlstm']",
			)
			l.results()
			l.scoredAs(func(*stage.Job) int { return 7 })
			for _, name := range []stage.Name{
				stages.Classifier, stages.FastText, stages.UnseenCNN,
			} {
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
			for _, name := range []stage.Name{stages.Prepare, stages.TestSet} {
				before := l.funcs[name]
				l.funcs[name] = func(ctx context.Context, job *stage.Job) error {
					err := before(ctx, job)
					testkit.WriteFile(l.t, filepath.Join(job.Dir, "counts.json"), manySentences)
					return err
				}
			}
			l.mustRun(Options{})
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
				for _, n := range table.Under() {
					if strings.Contains(n, "the classifier that computes it recognises") {
						said = append(said, n)
					}
				}
				got[table.Name] = strings.Join(said, "\n")
			}
			if d := cmp.Diff(want, got); d != "" || len(got) != 10 {
				t.Errorf("%d tables; notes (-want +got):\n%s", len(got), d)
			}
		})
	}
}

// unseenFolder makes a corpus of a few sentences that no model reads, and returns its folder.
func unseenFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for style := range 2 {
		testkit.WriteLines(t, filepath.Join(dir, fmt.Sprintf("train.%d.txt", style)), 5, fmt.Sprint("a lamp of style ", style))
	}
	return dir
}

// TestUnseenIsSaid checks the notes below the main table about the unseen text, which only the
// classifier behind the metric TST% unseen reads. If there is no unseen text, the notes say why. If
// there is one, the table of classifiers has a row for this classifier.
func TestUnseenIsSaid(t *testing.T) {
	for _, c := range []struct {
		set    string
		said   []string
		judges int
	}{
		{"datasets.tiny.unseen='" + unseenFolder(t) + "'", []string{"5 + 5 unseen sentences come from another corpus"}, 1},
		{"datasets.tiny.unseen=auto", []string{
			"TST% unseen of tiny is left out: it needs 500 sentences of each style", "Name such a text with datasets.tiny.unseen",
		}, 0},
		{"datasets.tiny.unseen=none", []string{`TST% unseen of tiny is left out: datasets.tiny.unseen is "none".`}, 0},
	} {
		l := newLab(t, c.set, "masking.lambda_eps=0.15", "smlm.models=['smlm']", "report.tables=['main', 'classifier']")
		l.results()
		l.scoredAs(func(*stage.Job) int { return 7 })
		l.mustRun(Options{})
		r := l.collected()
		for _, table := range r.Tables() {
			if notes := strings.Join(table.Under(), "\n"); table.Name == "main" {
				for _, want := range c.said {
					if strings.Count(notes, want) != 1 {
						t.Errorf("%s: the notes do not say once %q:\n%s", c.set, want, notes)
					}
				}
			}
			if table.Name != "classifier" {
				continue
			}
			judges := map[string]bool{}
			for _, row := range table.Rows {
				if model := row.Cells[1].Text; strings.Contains(model, "judge of") {
					judges[model] = true
				}
			}
			if len(judges) != c.judges {
				t.Errorf("%s: judges %v, want %d", c.set, judges, c.judges)
			}
		}
	}
}
