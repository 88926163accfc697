package metrics

import "fmt"

// Report is what Score finds. Its JSON is that of `smlm-exp score --json`: an absent metric is an absent key.
type Report struct {
	Metrics    Metrics           `json:"metrics"`    // both directions
	Directions [2]Direction      `json:"directions"` // in the order given
	Signatures map[string]string `json:"signatures"` // key of a metric -> how it was computed; encoding/json sorts the keys
}

// Metrics are the figures of one direction or of both; nil: not known.
type Metrics struct {
	TST         *float64 `json:"tst,omitempty"`         // percent of outputs that the evaluation classifier takes for the target style
	SBLEU       *float64 `json:"s_bleu,omitempty"`      // BLEU4 against the sources, percent
	RBLEU       *float64 `json:"r_bleu,omitempty"`      // BLEU4 against the human references, percent
	RougeL      *float64 `json:"rouge_l,omitempty"`     // RougeL against the sources, 0-1
	CIDEr       *float64 `json:"cider,omitempty"`       // CIDEr against the sources, 0-10
	Naturalness *float64 `json:"naturalness,omitempty"` // mean over the outputs, 0-1
	Mean        *float64 `json:"mean,omitempty"`        // (TST + SBLEU + 100 Naturalness) / 3, where all three are known
}

// Direction is the report of one direction.
type Direction struct {
	From string `json:"from"`
	To   string `json:"to"`
	N    int    `json:"n"` // number of outputs
	Metrics
	Collapse
}

func (m *Metrics) setMean() {
	if m.TST == nil || m.SBLEU == nil || m.Naturalness == nil {
		return
	}
	mean := (*m.TST + *m.SBLEU + 100**m.Naturalness) / 3
	m.Mean = &mean
}

const (
	bleuSignature     = "bleu%[1]d|level:corpus|n:%[1]d|tok:whitespace|case:as-is|smooth:none|dirs:mean|refs:%[2]s|version:1"
	tstSignature      = "tst|level:micro|classifier:%s|version:1"
	meanSignature     = "mean|(tst+s_bleu+100*naturalness)/3|version:1"
	collapseSignature = "collapse|tok:whitespace|case:as-is|new:not-in-own-source|share:of-occurrences|ties:byte-order|version:1"
)

// BLEUSignature says how corpus BLEU-n is computed, n = 1 to 4; references is their number, or what stands in their place ("source").
func BLEUSignature(n int, references string) string { return fmt.Sprintf(bleuSignature, n, references) }

// RougeLSignature says how RougeL is computed; references as for BLEUSignature.
func RougeLSignature(references string) string { return fmt.Sprintf(rougeLSignature, references) }

// CIDErSignature says how CIDEr is computed; references as for BLEUSignature.
func CIDErSignature(references string) string { return fmt.Sprintf(ciderSignature, references) }

// signatures returns one line for each metric that a direction has; that of the collapse columns is named "collapse".
func signatures(dirs [2]Input, nat Naturalness) map[string]string {
	s := map[string]string{
		"s_bleu": BLEUSignature(4, "source"), "rouge_l": RougeLSignature("source"), "cider": CIDErSignature("source"),
		"collapse": collapseSignature,
	}
	if a, b := len(dirs[0].References), len(dirs[1].References); a == b && a > 0 {
		s["r_bleu"] = BLEUSignature(4, fmt.Sprint(a))
	} else if a != b {
		s["r_bleu"] = BLEUSignature(4, fmt.Sprintf("%d,%d", a, b))
	}
	tested := dirs[0].Predicted != nil || dirs[1].Predicted != nil
	if tested {
		s["tst"] = fmt.Sprintf(tstSignature, classifierName(dirs))
	}
	if nat != nil {
		s["naturalness"] = nat.Signature()
		if tested {
			s["mean"] = meanSignature
		}
	}
	return s
}

func classifierName(dirs [2]Input) string {
	a, b := dirs[0].Classifier, dirs[1].Classifier
	switch {
	case a == "" && b == "":
		return "unnamed"
	case a == b || b == "":
		return a
	case a == "":
		return b
	}
	return a + "," + b
}
