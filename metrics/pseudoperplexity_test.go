package metrics

import (
	"math"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// pseudoInput is a direction of three outputs, of which one has no word that the model knows.
func pseudoInput() Input {
	return Input{
		From: "rude", To: "kind", Target: 1,
		Source: testkit.Split("one bad lamp", "a lamp", "hm"), Output: testkit.Split("one good lamp", "a lamp", "hm"),
		PseudoFluency: &PseudoFluency{LogProb: []float64{-6, -1.5, 0}, Words: []int{3, 2, 0}, Signature: "pseudo|test"},
	}
}

// TestPseudoPerplexity: exp of the mean over all words of -log p, whatever the sentences; a
// sentence without a known word adds nothing. Scores that nobody asked it of do not name it.
func TestPseudoPerplexity(t *testing.T) {
	s, err := Score([]Input{pseudoInput()}, Instruments{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Metrics["pseudo_perplexity"], math.Exp(7.5/5); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	if s.Signatures["pseudo_perplexity"] != "pseudo|test" {
		t.Errorf("the signature is %q", s.Signatures["pseudo_perplexity"])
	}
	var lines strings.Builder
	if err := WriteSentences(&lines, s.Sentences); err != nil || !strings.Contains(lines.String(), `"known_words":2`) {
		t.Errorf("%v\n%s", err, &lines)
	}
	without := pseudoInput()
	without.PseudoFluency = nil
	if s, err = Score([]Input{without}, Instruments{}); err != nil {
		t.Fatal(err)
	}
	if _, known := s.Metrics["pseudo_perplexity"]; known || s.Signatures["pseudo_perplexity"] != "" {
		t.Error("a pseudo-perplexity without a masked language model")
	}
	for _, key := range ScoreKeys() {
		if key == "pseudo_perplexity" {
			t.Error("every score asks for it")
		}
	}
}

func TestPseudoPerplexityRefused(t *testing.T) {
	for want, spoil := range map[string]func(f *PseudoFluency){
		"has 2 outputs that the masked language model read": func(f *PseudoFluency) { f.LogProb = f.LogProb[:2] },
		"gives output 2 from rude to kind the pseudo log likelihood NaN over 2 words": func(f *PseudoFluency) {
			f.LogProb[1] = math.NaN()
		},
		"gives output 3 from rude to kind the pseudo log likelihood -1 over 0 words": func(f *PseudoFluency) {
			f.LogProb[2] = -1
		},
	} {
		in := pseudoInput()
		spoil(in.PseudoFluency)
		_, err := Score([]Input{in}, Instruments{})
		testkit.WantError(t, err, userr.BadInput, want)
	}
}
