package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// TestPageMarksOrigins checks that the HTML page marks where the words of an output come from, if
// the transfer stage recorded the origins of the words. If the recorded origins do not belong to
// the outputs, WritePage reports damage.
func TestPageMarksOrigins(t *testing.T) {
	l := newLab(t, "masking.lambda_eps=0.15", "smlm.models=['smlm']", "smlm.decoding=['copied', 'guided']")
	l.results()
	words, outputs := strings.Fields("test words of an output indeed <unk>"), l.funcs[stages.Transfer]
	l.funcs[stages.Transfer] = func(ctx context.Context, job *stage.Job) error {
		if err := outputs(ctx, job); err != nil {
			return err
		}
		var s stages.TransferSettings
		if err := json.Unmarshal(job.Settings, &s); err != nil || s.Guided == (recipe.Guided{}) {
			return err
		}
		for style := range 2 {
			path := filepath.Join(job.Dir, fmt.Sprintf("output.%d.txt", style))
			testkit.WriteFile(t, path, strings.Repeat(strings.Join(words, " ")+"\n", 3))
		}
		o := &stages.Origins{Guide: .75}
		for k, word := range words {
			w := stages.Word{Word: word, Place: k, Origin: guided.Kept}
			switch k {
			case 4: // in a source, word 4 is the number of the style, word 5 is "number", and word 6 is another number
				w.Origin, w.P = guided.Filled, .25
			case 5:
				w.Origin, w.Place = guided.Rephrased, 4
			case 6:
				o.Words = append(o.Words, stages.Word{Place: 5, Origin: guided.Deleted})
			}
			o.Words = append(o.Words, w)
		}
		return stages.WriteOrigins(job.Dir, slices.Repeat([]*stages.Origins{o}, 6))
	}
	l.mustRun(Options{})
	// Remove the lab's attribution stage, which has no scores that the page could show.
	attribution := l.plan.Get(stages.Attribution, l.plan.All()[0].Masks()[0].With("test"))
	if err := os.RemoveAll(l.ws.StageDir(attribution)); err != nil {
		t.Fatal(err)
	}
	r := l.collected()
	path := filepath.Join(t.TempDir(), "page.html")
	if _, err := r.WritePage(path); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const want = `<dd class="system">test words of <b>an</b> <span class="word filled" title="filled by SMLM in place of “0”: ` +
		`p = 0.25">output<small>0.25</small></span> <span class="word rephrased" title="rephrased in place of “0”">indeed</span> ` +
		`<span class="word deleted" title="deleted, with nothing in its place"><del>number</del></span> <b>&lt;unk&gt;</b> ` +
		`<small class="guide">guide 0.75</small></dd>`
	for style := range 2 { // three sentences per style
		marked := strings.ReplaceAll(want, "“0”", fmt.Sprintf("“%d”", style))
		if n := strings.Count(string(page), marked); n != 3 {
			t.Errorf("%d examples from style %d are %s", n, style, marked)
		}
	}
	if !strings.Contains(string(page), `<dd class="system">test <b>splendid`) {
		t.Error("no plain example")
	}
	other := l.ws.StageDir(l.plan.Get(stages.Transfer, l.plan.All()[0].Models()[1]))
	testkit.WriteFile(t, filepath.Join(other, "output.0.txt"), "a\nb\nc\n")
	_, err = r.WritePage(path)
	if err == nil || !strings.Contains(err.Error(), "is damaged: ") {
		t.Errorf("of other outputs: %v", err)
	}
}
