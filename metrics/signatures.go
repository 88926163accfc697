package metrics

import "fmt"

const (
	bleuSignature        = "bleu%[1]d|level:corpus|n:%[1]d|tok:whitespace|case:as-is|smooth:none|dirs:mean|refs:%[2]s|version:1"
	tstSignature         = "tst|level:micro|classifier:%s|version:1"
	meanSignature        = "mean|(tst+s_bleu+100*naturalness)/3|version:1"
	maskedShareSignature = "masked_share|of:source-words|level:direction|dirs:mean|version:1"
	unknownSignature     = "unknown_share|of:output-words|scored-as:<unk>|level:micro|model:perplexity|version:1"
	collapseSignature    = "collapse|tok:whitespace|case:as-is|new:not-in-own-source|share:of-occurrences|ties:byte-order|version:1"
)

// BLEUSignature says how corpus BLEU-n is computed, n = 1 to 4; references is their number, or what stands in their place ("source").
func BLEUSignature(n int, references string) string { return fmt.Sprintf(bleuSignature, n, references) }

// RougeLSignature says how RougeL is computed; references as for BLEUSignature.
func RougeLSignature(references string) string { return fmt.Sprintf(rougeLSignature, references) }

// CIDErSignature says how CIDEr is computed; references as for BLEUSignature.
func CIDErSignature(references string) string { return fmt.Sprintf(ciderSignature, references) }

// signatures returns one line for each metric that a direction has, by its key in Metrics' JSON; "naturalness_by.NAME" is that of one of
// several judges, and that of the collapse columns is named "collapse".
func signatures(dirs [2]Input, with Instruments) map[string]string {
	s := map[string]string{
		"rouge_l": RougeLSignature("source"), "cider": CIDErSignature("source"),
		"distinct_1": fmt.Sprintf(distinctSignature, 1), "distinct_2": fmt.Sprintf(distinctSignature, 2),
		"collapse": collapseSignature,
	}
	bleu(s, "s_bleu", "source")
	if a, b := len(dirs[0].References), len(dirs[1].References); a == b && a > 0 {
		bleu(s, "r_bleu", fmt.Sprint(a))
	} else if a != b {
		bleu(s, "r_bleu", fmt.Sprintf("%d,%d", a, b))
	}
	either := func(has func(*Input) bool) bool { return has(&dirs[0]) || has(&dirs[1]) }
	tested := either(func(in *Input) bool { return in.Predicted != nil })
	if tested {
		s["tst"] = fmt.Sprintf(tstSignature, oneOrBoth(dirs[0].Classifier, dirs[1].Classifier))
	}
	if either(func(in *Input) bool { return len(in.Output) > 1 }) {
		s["self_bleu"] = selfBLEUSignature
	}
	if either(func(in *Input) bool { return in.Masked != nil }) {
		s["masked_share"] = maskedShareSignature
	}
	if either(func(in *Input) bool { return in.Fluency != nil }) {
		s["perplexity"] = oneOrBoth(dirs[0].Fluency.signature(), dirs[1].Fluency.signature())
	}
	if either(func(in *Input) bool { return in.Fluency != nil && in.Fluency.Unknown != nil }) {
		s["unknown_share"] = unknownSignature
	}
	with.sign(s, tested)
	return s
}

// sign adds the lines of what the instruments measure.
func (with *Instruments) sign(s map[string]string, tested bool) {
	for k, nat := range with.Naturalness {
		if k == 0 {
			s["naturalness"] = nat.Signature()
		}
		if len(with.Naturalness) > 1 {
			s["naturalness_by."+nat.Name()] = nat.Signature()
		}
	}
	if tested && len(with.Naturalness) > 0 {
		s["mean"] = meanSignature
	}
	if with.METEOR != nil {
		s["meteor"] = with.METEOR.Signature("source")
	}
	if with.Embedding != nil {
		for _, metric := range []string{"embedding_average", "vector_extrema", "greedy_matching"} {
			s[metric] = with.Embedding.Signature(metric, "source")
		}
	}
}

// bleu adds the lines of BLEU-1 to BLEU-4, whose key is the bare name.
func bleu(s map[string]string, key, references string) {
	s[key] = BLEUSignature(maxOrder, references)
	for n := 1; n < maxOrder; n++ {
		s[fmt.Sprintf("%s_%d", key, n)] = BLEUSignature(n, references)
	}
}

func (f *Fluency) signature() string {
	if f == nil {
		return ""
	}
	return f.Signature
}

// oneOrBoth joins what the directions say unless they say the same or one says nothing.
func oneOrBoth(a, b string) string {
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
