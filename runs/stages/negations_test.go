package stages

import (
	"log/slog"
	"path/filepath"
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

// TestUnknownNegation: ranked outputs are written, and the log names the entry of guided.negations
// that has a word which the corpus lacks.
func TestUnknownNegation(t *testing.T) {
	in := untrained(t, SMLM).Inputs
	in["mask"] = t.TempDir()
	for style := range 2 {
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
	}
	how := experiment.DefaultSettings().Guided.Guided
	how.Ranked, how.Price, how.Candidates = true, 0, 1
	settings := TransferSettings{
		Decoding: recipe.GuidedDecoding, Guided: how.Needed(), Ranker: guided.ShippedRanker(false), Dev: true,
		Negations: []Negation{{From: []string{"quixotic"}, To: []string{"very"}}},
	}
	var said strings.Builder
	job := &stage.Job{Name: Transfer, Dir: t.TempDir(), Inputs: in, Log: slog.New(slog.NewTextHandler(&said, nil))}
	if err := torch.Run(func() error { return transfer(t.Context(), job, settings) }); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(said.String(), `entry="quixotic -> very"`) {
		t.Errorf("the log says %q", said.String())
	}
}
