package metrics

import (
	"cmp"
	"fmt"
)

// counter counts the n-grams of the sentences that are compared.
type counter struct{ ngramCounter }

// sBLEU and rBLEU are corpus BLEU-4 against the sources and against the human references, percent,
// and the shorter ones.
var (
	sBLEU = bleuMetrics("s_bleu", "s-BLEU", 2,
		func([2]*measured) string { return "source" },
		func(m *measured) [][]float64 { return numbersOf(m.Match(m.output, m.source)) })
	rBLEU = bleuMetrics("r_bleu", "r-BLEU", 1, setsOf((*Input).references), func(m *measured) [][]float64 {
		if len(m.References) == 0 {
			return nil
		}
		return numbersOf(m.Match(m.output, m.references))
	})
	// rBLEUAll is BLEU-4 against several sets of references.
	rBLEUAll = bleuMetrics("r_bleu_all", "r-BLEU\nall", 1, setsOf((*Input).allReferences),
		func(m *measured) [][]float64 {
			if len(m.AllReferences) == 0 {
				return nil
			}
			return numbersOf(m.Match(m.output, m.all))
		})[:1]
)

func (in *Input) references() [][][]string    { return in.References }
func (in *Input) allReferences() [][][]string { return in.AllReferences }

// bleuMetrics are BLEU-4, whose key is the bare name, and BLEU-1 to BLEU-3 of the same counts.
// references names what stands in their place, "": nothing does.
func bleuMetrics(
	key, head string, place int, references func([2]*measured) string, counts func(*measured) [][]float64,
) []*Metric {
	one := func(n int, key, head string, group Group, place int) *Metric {
		return &Metric{
			Key: key, Head: head, Decimals: 1, Better: Higher, Group: group, Place: place, tested: n == maxOrder,
			signature: func(both [2]*measured) string {
				if refs := references(both); refs != "" {
					return BLEUSignature(n, refs)
				}
				return ""
			},
		}
	}
	all := []*Metric{one(maxOrder, key, head, GroupResults, place)}
	for n := 1; n < maxOrder; n++ {
		all = append(all, one(n, fmt.Sprintf("%s_%d", key, n), fmt.Sprintf("%s-%d", head, n), GroupBLEU, 0))
	}
	all[0].records = []record{{key, countsKind, counts}}
	all[0].wrong = func(s *Sentence) string { return wrongCounts(key, s.Numbers[key]) }
	for k, m := range all {
		n := cmp.Or(k, maxOrder)
		m.needs = []string{key}
		m.total = func(t *totals) float64 {
			c := countsOf(t.of(key))
			return c.BLEU()[n-1]
		}
	}
	return all
}

// setsOf is the number of sets of references, "" where neither direction has one.
func setsOf(sets func(*Input) [][][]string) func(both [2]*measured) string {
	return func(both [2]*measured) string {
		switch a, b := len(sets(both[0].Input)), len(sets(both[1].Input)); {
		case a == 0 && b == 0:
			return ""
		case a == b:
			return fmt.Sprint(a)
		default:
			return fmt.Sprintf("%d,%d", a, b)
		}
	}
}

// BLEUSignature says how corpus BLEU-n is computed, n = 1 to 4; references is their number, or what
// stands in their place ("source").
func BLEUSignature(n int, references string) string {
	return fmt.Sprintf("bleu%[1]d|level:corpus|n:%[1]d|tok:whitespace|case:as-is|smooth:none|dirs:mean|"+
		"refs:%[2]s|version:1", n, references)
}

// BLEU4 returns corpus BLEU-4 in percent, the last of bleu.
func BLEU4(outputs [][]string, references ...[][]string) float64 {
	return bleu(outputs, references...)[maxOrder-1]
}

// bleu returns corpus BLEU-1 to BLEU-4 in percent of outputs against any number of reference sets;
// references[k][i] belongs to outputs[i] and every set is as long as outputs. BLEU-n, Papineni et
// al. (2002) without smoothing:
//
//	BLEU = 100 * BP * (p1 * ... * pn)^(1/n),  BP = min(1, exp(1 - r/c))
//
// p_n is the share of the outputs' n-grams found in a reference (each counted at most as often as
// in the one reference that has it most often), summed over the corpus before dividing; c the
// number of output words; r the sum of each sentence's closest reference length, of two equally
// close ones the shorter (as multi-bleu.perl and nlg-eval). It is 0 where an order up to n has no
// match, so BLEU-4 also for a corpus without any sentence of four words; elsewhere it is that of
// coco-caption's bleu_scorer.py, whose 1e-15 and 1e-9 change less than the 8th digit. Words are
// compared as they are. It panics where a set's length differs from that of outputs: Score checks
// that and says it in words.
func bleu(outputs [][]string, references ...[][]string) [4]float64 {
	mustMatch("BLEU", outputs, references)
	var c counter
	var total bleuCounts
	for _, counts := range c.Match(c.All(outputs), c.Known(references)) {
		total.Add(counts)
	}
	return total.BLEU()
}

// mustMatch panics unless every reference set is as long as outputs.
func mustMatch(metric string, outputs [][]string, references [][][]string) {
	for k, set := range references {
		if len(set) != len(outputs) {
			panic(fmt.Sprintf("metrics.%s: %d outputs, %d sentences in reference set %d", metric, len(outputs),
				len(set), k))
		}
	}
}
