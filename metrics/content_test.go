package metrics

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
)

// recordedCorpus is one corpus of testdata/parity/content.json; its BLEU values range from 0 to 1.
type recordedCorpus struct {
	Name      string
	BLEU      [maxOrder]float64
	RougeL    float64 `json:"rouge_l"`
	CIDEr     float64
	Sentences [][]any // the output, its references, BLEU-1 to BLEU-4, ROUGE-L, CIDEr
}

func recordedCorpora(t *testing.T) []recordedCorpus {
	t.Helper()
	text, err := os.ReadFile("../testdata/parity/content.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []recordedCorpus
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	pairs := 0
	for _, c := range all {
		pairs += len(c.Sentences)
	}
	if pairs < 1000 {
		t.Fatalf("%d sentences are recorded", pairs)
	}
	return all
}

// texts returns the outputs and the reference sets.
func (c *recordedCorpus) texts() (outputs [][]string, references [][][]string) {
	references = make([][][]string, len(c.Sentences[0])-7)
	for _, s := range c.Sentences {
		outputs = append(outputs, strings.Fields(s[0].(string)))
		for k := range references {
			references[k] = append(references[k], strings.Fields(s[1+k].(string)))
		}
	}
	return outputs, references
}

// values returns the last six values of a line: BLEU-1 to BLEU-4, ROUGE-L, CIDEr.
func values(line []any) (v [6]float64) {
	for i := range v {
		v[i] = line[len(line)-len(v)+i].(float64)
	}
	return v
}

// TestContentAgainstCocoCaption compares our values with those of coco-caption's classes, which
// nlg-eval wraps. testdata/parity/content.py recorded them to 9 decimals. If an order up to n has
// no match, our corpus BLEU-n is 0, but theirs is about (1e-15 / matches)^(1/n).
func TestContentAgainstCocoCaption(t *testing.T) {
	const tolerance = 1e-8
	names := []string{
		"sentence BLEU-1", "sentence BLEU-2", "sentence BLEU-3", "sentence BLEU-4", "sentence ROUGE-L",
		"sentence CIDEr", "corpus BLEU", "corpus ROUGE-L", "corpus CIDEr",
	}
	worst, unlike := make([]float64, len(names)), 0.0
	for _, c := range recordedCorpora(t) {
		outputs, references := c.texts()
		near := func(kind int, got, want float64, of any) {
			t.Helper()
			worst[kind] = max(worst[kind], math.Abs(got-want))
			if !(math.Abs(got-want) <= tolerance) {
				t.Errorf("%s, %s of %v: %.10f, coco-caption %.10f", c.Name, names[kind], of, got, want)
			}
		}
		bleus := sentenceBLEU(outputs, references...)
		for i, line := range c.Sentences {
			want := values(line)
			for n := range maxOrder {
				near(n, bleus[i][n]/100, want[n], line)
			}
		}
		for n, got := range bleu(outputs, references...) {
			if got == 0 {
				unlike = max(unlike, c.BLEU[n])
				continue
			}
			near(6, got/100, c.BLEU[n], n+1)
		}
		if len(references) > 1 { // ROUGE-L and CIDEr compare with the source alone
			continue
		}
		rouges, ciders := eachRougeL(outputs, references[0]), eachCIDEr(outputs, references[0])
		for i, line := range c.Sentences {
			want := values(line)
			near(4, rouges[i], want[4], line)
			near(5, ciders[i], want[5], line)
		}
		near(7, average(rouges), c.RougeL, "all")
		near(8, average(ciders), c.CIDEr, "all")
	}
	for i, name := range names {
		t.Logf("largest deviation of %s from coco-caption: %.1e", name, worst[i])
	}
	// In one corpus, no sentence has four words. coco-caption then computes a precision of 1e-15 /
	// 1e-9 for 4-grams and a BLEU-4 of 0.0227.
	if t.Logf("largest BLEU of coco-caption where ours is 0: %.4f", unlike); unlike > 0.03 {
		t.Errorf("ours is 0 where coco-caption's corpus BLEU is %.4f", unlike)
	}
}

// eachRougeL returns the ROUGE-L of each output.
func eachRougeL(outputs, sources [][]string) []float64 {
	var c ngramCounter
	return rougeLs(c.All(outputs), c.All(sources))
}

// eachCIDEr returns the CIDEr of each output.
func eachCIDEr(outputs, sources [][]string) []float64 {
	var c ngramCounter
	counted := c.All(sources) // must precede the outputs: words get numbers in this order, and sums follow the numbers
	return c.cider(c.All(outputs), counted)
}

// bleu returns corpus BLEU-1 to BLEU-4 in percent. The lower orders, which no metric has, show that
// the counts of each order are right.
func bleu(outputs [][]string, references ...[][]string) (scores [maxOrder]float64) {
	c := corpusCounts(outputs, references)
	penalty := math.Exp(min(0, 1-float64(c.ReferenceWords)/float64(c.Words)))
	precisions := 1.0
	for n := range maxOrder - 1 {
		if c.Matches[n] == 0 {
			break
		}
		precisions *= float64(c.Matches[n]) / float64(c.Totals[n])
		scores[n] = 100 * penalty * math.Pow(precisions, 1/float64(n+1))
	}
	scores[maxOrder-1] = BLEU4(outputs, references...)
	return scores
}

// sentenceBLEU returns BLEU-1 to BLEU-4 of every output, in percent. It uses the counts that corpus
// BLEU adds up, and smooths them like coco-caption's bleu_scorer.py, which nlg-eval uses:
//
//	BLEU-n = 100 * BP * prod_k ((match_k + 1e-15) / (total_k + 1e-9))^(1/n)
//	BP = exp(1 - 1/q) where q = (c + 1e-15) / (r + 1e-9) < 1
func sentenceBLEU(outputs [][]string, references ...[][]string) [][4]float64 {
	all := make([][4]float64, len(outputs))
	var c ngramCounter
	for i, counts := range c.Match(c.All(outputs), c.Known(references)) {
		all[i] = coco(&counts)
	}
	return all
}

// The constants that coco-caption adds to counts to avoid division by 0.
const (
	bleuTiny  = 1e-15 // added to matches
	bleuSmall = 1e-9  // added to totals and to the reference length
)

// coco computes BLEU from counts with coco-caption's constants.
func coco(c *bleuCounts) (all [maxOrder]float64) {
	penalty := 1.0
	if ratio := (float64(c.Words) + bleuTiny) / (float64(c.ReferenceWords) + bleuSmall); ratio < 1 {
		penalty = math.Exp(1 - 1/ratio)
	}
	product := 1.0
	for n := range maxOrder {
		product *= (float64(c.Matches[n]) + bleuTiny) / (float64(c.Totals[n]) + bleuSmall)
		all[n] = 100 * penalty * math.Pow(product, 1/float64(n+1))
	}
	return all
}

func TestBLEUOrdersByHand(t *testing.T) {
	// Of the 1- to 4-grams, 4 of 5, 3 of 4, 2 of 3 and 1 of 2 match, so the products p1 * ... * pn
	// are 4/5, 3/5, 2/5 and 1/5. The output has 5 words and the reference 6, so BP is exp(-1/5).
	got := bleu(testkit.Split("a b c d e"), testkit.Split("a b c d f g"))
	for n, product := range []float64{.8, .6, .4, .2} {
		if want := 100 * math.Exp(-.2) * math.Pow(product, 1/float64(n+1)); math.Abs(got[n]-want) > 1e-9 {
			t.Errorf("BLEU-%d = %v, want %v", n+1, got[n], want)
		}
	}
	// The two sentences have all words in common, but no pair of words.
	if got := bleu(testkit.Split("a b c"), testkit.Split("c b a")); math.Abs(got[0]-100) > 1e-9 || got[1] != 0 || got[3] != 0 {
		t.Errorf("BLEU of a reversed sentence: %v", got)
	}
	if got := BLEUSignature("source"); got != "bleu4|level:corpus|n:4|tok:whitespace|case:as-is|smooth:none|dirs:mean|refs:source|version:1" {
		t.Errorf("signature %s", got)
	}
}

func TestSentenceBLEUByHand(t *testing.T) {
	// Two equal sentences of three words have no 4-gram: BLEU-4 is (1e-15 / 1e-9)^(1/4) =
	// 0.0316228. The other orders are 1, except for the 1e-9 added to the totals.
	got := sentenceBLEU(testkit.Split("a b c", ""), testkit.Split("a b c", "a"))
	for n, want := range []float64{100, 100, 100, 3.16228} {
		if math.Abs(got[0][n]-want) > 1e-4 {
			t.Errorf("BLEU-%d of three equal words: %v, want %v", n+1, got[0][n], want)
		}
	}
	if got[1] != [maxOrder]float64{} {
		t.Errorf("BLEU of an empty output: %v", got[1])
	}
}
