package runs

import (
	"fmt"
	"slices"
)

// The names that settings may take.
var (
	Methods    = []string{"explainable_attention", "vanilla_attention", "random"}
	Models     = []string{"smlm", "smlm-g", "smlm-ft"}
	Tables     = []string{"results", "datasets", "classifier", "divlstm", "masking", "examples"}
	Losses     = []string{"all", "masked"}
	Reductions = []string{"mean", "sum"}
	Precisions = []string{"fp32", "bf16", "auto"}
)

// checkSettings checks every combination of a data set's swept values. where gives the path in the file of the
// schema paths that the file sets.
func (l *loader) checkSettings(d *Dataset, where map[string]string) {
	if d.combinations(MaxPoints) > MaxPoints {
		l.bad("datasets."+d.Name, "the sweep axes of data set %q span more than %d points: sweep over fewer values", d.Name, MaxPoints)
		return
	}
	if p, ok := where["decoder.dropout"]; ok {
		l.bad(p, "decoder.dropout has no effect: encoder and decoder share smlm.dropout, set that")
	}
	c := &checker{report: func(path, sentence string) {
		file, ok := where[path]
		if !ok {
			file = path
		}
		l.bad(file, "%s %s", file, sentence)
	}}
	d.eachCombination(func(s Settings, _ []Axis) {
		c.settings(&s)
		if s.SMLM.Heads > 0 && s.SMLM.Dim%s.SMLM.Heads != 0 {
			at := "smlm.heads"
			if _, ok := where[at]; !ok {
				at = "smlm.dim"
			}
			c.report(at, fmt.Sprintf("does not fit: smlm.dim %d is not divisible by smlm.heads %d", s.SMLM.Dim, s.SMLM.Heads))
		}
	})
}

// checkPoints bounds the size of the whole experiment.
func (l *loader) checkPoints() {
	n := 0
	for i := range l.exp.Datasets {
		n += l.exp.Datasets[i].combinations(MaxPoints) * len(l.exp.Seeds)
	}
	if n > MaxPoints {
		l.bad("seeds", "data sets, sweep axes and seeds span more than %d points: sweep over fewer values", MaxPoints)
	}
}

// checker reports what is wrong with one point's settings, by schema path.
type checker struct {
	report func(path, sentence string)
}

func (c *checker) settings(s *Settings) {
	c.atLeast("vocab.size", s.Vocab.Size, 1)
	c.train("classifier", &s.Classifier.TrainSettings)
	c.atLeast("classifier.embedding", s.Classifier.Embedding, 1)
	c.atLeast("classifier.hidden", s.Classifier.Hidden, 1)
	c.train("divlstm", &s.DivLSTM.TrainSettings)
	c.notNegative("divlstm.lambda_con", s.DivLSTM.LambdaCon)
	c.atLeast("divlstm.embedding", s.DivLSTM.Embedding, 1)
	c.atLeast("divlstm.hidden", s.DivLSTM.Hidden, 1)
	c.atLeast("divlstm.attention", s.DivLSTM.Attention, 1)
	c.oneOf("divlstm.reduction", s.DivLSTM.Reduction, Reductions)
	c.masking(&s.Masking, len(s.SMLM.Models) > 0)
	c.train("smlm", &s.SMLM.TrainSettings)
	c.list("smlm.models", s.SMLM.Models, Models, 0)
	c.atLeast("smlm.layers", s.SMLM.Layers, 1)
	c.atLeast("smlm.heads", s.SMLM.Heads, 1)
	c.atLeast("smlm.dim", s.SMLM.Dim, 1)
	c.atLeast("smlm.ff", s.SMLM.FF, 1)
	c.oneOf("smlm.loss", s.SMLM.Loss, Losses)
	c.train("decoder", &s.Decoder.TrainSettings)
	c.atLeast("decoder.layers", s.Decoder.Layers, 1)
	c.atLeast("decoder.max_extra", s.Decoder.MaxExtra, 0)
	c.train("finetune", &s.Finetune.TrainSettings)
	c.notNegative("finetune.lambda_sta", s.Finetune.LambdaSta)
	c.notNegative("finetune.lambda_rec", s.Finetune.LambdaRec)
	c.atLeast("finetune.max_steps", s.Finetune.MaxSteps, 0)
	c.list("report.tables", s.Report.Tables, Tables, 1)
	c.atLeast("report.examples", s.Report.Examples, 1)
}

func (c *checker) masking(m *MaskingSettings, trains bool) {
	c.notNegative("masking.lambda_eps", m.LambdaEps)
	if !c.list("masking.methods", m.Methods, Methods, 1) {
		return // train_on would only repeat it
	}
	least := 0
	if trains {
		least = 1
	}
	c.list("masking.train_on", m.TrainOn, Methods, least)
	for _, method := range m.TrainOn {
		if slices.Contains(Methods, method) && !slices.Contains(m.Methods, method) {
			c.report("masking.train_on", fmt.Sprintf("lists %q, which is not in masking.methods", method))
		}
	}
}

func (c *checker) train(table string, t *TrainSettings) {
	c.atLeast(table+".epochs", t.Epochs, 1)
	if t.LR <= 0 {
		c.report(table+".lr", fmt.Sprintf("is %v, but must be above 0", t.LR))
	}
	c.fraction(table+".beta1", t.Beta1)
	c.fraction(table+".beta2", t.Beta2)
	c.atLeast(table+".warmup", t.Warmup, 0)
	c.notNegative(table+".clip", t.Clip)
	c.fraction(table+".dropout", t.Dropout)
	c.atLeast(table+".batch_tokens", t.BatchTokens, 1)
	c.atLeast(table+".patience", t.Patience, 0)
	c.oneOf(table+".precision", t.Precision, Precisions)
}

// largest bounds every count and size: more is a slip of the keyboard, and would only fail much later for want of memory.
const largest = 100_000_000

func (c *checker) atLeast(path string, v, least int) {
	if v < least {
		c.report(path, fmt.Sprintf("is %d, but must be %d or more", v, least))
	} else if v > largest {
		c.report(path, fmt.Sprintf("is %d, but must be %d at most", v, largest))
	}
}

func (c *checker) notNegative(path string, v float64) {
	if v < 0 {
		c.report(path, fmt.Sprintf("is %v, but must be 0 or more", v))
	}
}

func (c *checker) fraction(path string, v float64) {
	if v < 0 || v >= 1 {
		c.report(path, fmt.Sprintf("is %v, but must be at least 0 and below 1", v))
	}
}

func (c *checker) oneOf(path, v string, known []string) {
	if !slices.Contains(known, v) {
		c.report(path, fmt.Sprintf("is %q, but must be %s%s", v, quoted(known), didYouMean(v, known)))
	}
}

// list checks a list of names; it says whether all was well.
func (c *checker) list(path string, list, known []string, least int) bool {
	well := true
	bad := func(sentence string) {
		c.report(path, sentence)
		well = false
	}
	if len(list) < least {
		bad("is an empty list, but must name at least one of " + quoted(known))
	}
	for i, v := range list {
		if !slices.Contains(known, v) {
			bad(fmt.Sprintf("holds %q, which is none of %s%s", v, quoted(known), didYouMean(v, known)))
		} else if slices.Contains(list[:i], v) {
			bad(fmt.Sprintf("lists %q twice", v))
		}
	}
	return well
}
