package stages

import (
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// TestChoices: each output is what its edits make of the source that was asked for, all differ,
// and one of them is what the stage transfer keeps.
func TestChoices(t *testing.T) {
	q := untrained(t, SMLM)
	in := q.Inputs
	in["mask"] = t.TempDir()
	var sources [2][]corpus.Sentence
	for style := range sources {
		lines, err := corpus.ReadLines(filepath.Join(in["prepare"], corpus.FileName(corpus.Dev, style)))
		if err != nil {
			t.Fatal(err)
		}
		masks := make([][]bool, len(lines))
		for i, words := range lines {
			masks[i] = make([]bool, len(words))
			masks[i][i%len(words)] = i != 3
		}
		if err := policy.WriteMasks(in["mask"], corpus.Dev, style, masks); err != nil {
			t.Fatal(err)
		}
		sources[style] = lines
	}
	how := experiment.DefaultSettings().Guided.Guided
	how.Ranked, how.Price, how.Candidates = true, 0, 1
	settings := TransferSettings{
		Decoding: recipe.GuidedDecoding, Guided: how.Needed(), Ranker: guided.ShippedRanker(false), Dev: true,
		Negations: []Negation{{From: []string{"quixotic"}, To: []string{"very"}}}, // no corpus has it
	}
	up, down := corpus.Direction{From: 0, To: 1}, corpus.Direction{From: 1, To: 0}
	asked := []DevSentence{{down, 2}, {up, 7}, {down, 1}}
	found, err := Torch{}.Choices(t.Context(), ChoicesRequest{
		Inputs: in, Settings: settings, Sentences: asked, Threads: 1, Devices: "cpu",
	})
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	job := &stage.Job{Name: Transfer, Dir: t.TempDir(), Inputs: in, Log: slog.New(slog.NewTextHandler(&said, nil))}
	if err := torch.Run(func() error { return transfer(t.Context(), job, settings) }); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), `entry="quixotic -> very"`) {
		t.Errorf("of a negation with an unknown word the log says %q", said.String())
	}
	outputs := 0
	for i, s := range asked {
		source := sources[s.From][s.Line-1]
		kept, err := corpus.ReadOutputs(filepath.Join(job.Dir, OutputName(corpus.Styles{"sad", "glad"}, s.Direction)))
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, c := range found[i] {
			outputs++
			r := guided.Rated{Source: guided.Checksum(source), Edits: c.Edits}
			if words, _, right := r.Output(source); !right || !slices.Equal(words, c.Words) {
				t.Errorf("%q with the edits %v is %q (%v), not %q", source, c.Edits, words, right, c.Words)
			}
			if c.Features == (guided.Features{}) {
				t.Errorf("%q has no features", c.Words)
			}
			texts = append(texts, strings.Join(c.Words, " "))
		}
		if len(slices.Compact(slices.Sorted(slices.Values(texts)))) != len(texts) {
			t.Errorf("of %q some outputs are equal: %q", source, texts)
		}
		if text := strings.Join(kept[s.Line-1], " "); !slices.Contains(append(texts, strings.Join(source, " ")), text) {
			t.Errorf("transfer keeps %q, which is not among %q", text, texts)
		}
	}
	if outputs < len(asked) {
		t.Errorf("there are only %d outputs", outputs)
	}
}
