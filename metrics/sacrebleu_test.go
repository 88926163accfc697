package metrics

import (
	"math"
	"testing"
)

// The recorded values are those of sacrebleu for the sentences of content.json:
// testdata/parity/corpusbleu.py.
func TestBLEUAgainstSacrebleu(t *testing.T) {
	var recorded []struct {
		Name       string
		First, All [maxOrder]float64
	}
	readParity(t, "corpusbleu.json", &recorded)
	corpora := recordedCorpora(t)
	if len(recorded) != len(corpora) {
		t.Fatalf("%d corpora are recorded, content.json has %d", len(recorded), len(corpora))
	}
	worst := 0.0
	for i, c := range corpora {
		outputs, references := c.texts()
		for what, pair := range map[string][2][maxOrder]float64{
			"first reference": {bleu(outputs, references[0]), recorded[i].First},
			"all references":  {bleu(outputs, references...), recorded[i].All},
		} {
			for n := range maxOrder {
				deviation := math.Abs(pair[0][n] - pair[1][n])
				worst = max(worst, deviation)
				if !(deviation <= 1e-6) {
					t.Errorf("%s, %s: BLEU-%d %.9f, sacrebleu has %.9f", c.Name, what, n+1, pair[0][n], pair[1][n])
				}
			}
		}
	}
	t.Logf("largest deviation of BLEU-1 to BLEU-4 from sacrebleu, in percent: %.1e", worst)
}
