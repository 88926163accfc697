package experiment

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// checkSettings checks every combination of a data set's swept values. wheres gives, by variant,
// the path in the file of the schema paths that the file sets.
func (l *loader) checkSettings(d *Dataset, wheres []map[string]string) {
	if d.combinations(MaxPoints) > MaxPoints {
		l.bad("datasets."+d.Name, "the sweep axes of data set %q span more than %d points: sweep over fewer values",
			d.Name, MaxPoints)
		return
	}
	for i := range d.variants {
		d.variants[i].eachCombination(func(s Settings, _ []Axis) {
			check(&s, func(sentence string, paths ...string) {
				file := paths[0]
				for _, path := range slices.Backward(paths) {
					if at, ok := wheres[i][path]; ok {
						file = at
					}
				}
				l.bad(file, "%s %s", file, sentence)
			})
		})
	}
}

// check reports what is wrong with one point's settings: at the first of some schema paths that the
// file sets.
func check(s *Settings, report func(sentence string, paths ...string)) {
	bad := map[string]bool{}
	for i := range schema {
		f := &schema[i]
		if f.path == "masking.train_on" && bad["masking.methods"] {
			continue // it would only repeat it
		}
		for _, sentence := range f.wrong(reflect.ValueOf(s).Elem().FieldByIndex(f.index)) {
			report(sentence, f.path)
			bad[f.path] = true
		}
	}
	if !bad["classifier.models"] && !slices.Contains(s.Classifier.Models, "bi-lstm") {
		report(`must hold "bi-lstm": it is what measures TST%`, "classifier.models")
	}
	if !bad["masking.methods"] && !bad["masking.train_on"] {
		s.Masking.check(len(s.SMLM.Models) > 0, report)
	}
	if s.SMLM.Heads > 0 && s.SMLM.Dim%s.SMLM.Heads != 0 {
		report(fmt.Sprintf("does not fit: smlm.dim %d is not divisible by smlm.heads %d", s.SMLM.Dim, s.SMLM.Heads),
			"smlm.heads", "smlm.dim")
	}
	if s.Finetune.IncludeCls && !s.SMLM.ClsToken {
		report("does not fit: finetune.include_cls needs smlm.cls_token = true",
			"finetune.include_cls", "smlm.cls_token")
	}
	for _, named := range []recipe.Reading{recipe.Algorithm, recipe.MinMax} {
		if f := &s.Finetune; f.Reading == recipe.AuthorsCode && f.DiscInvWeight == named.Weight(0) {
			report(fmt.Sprintf("is %g, which finetune.reading = %q says: set that in its place", f.DiscInvWeight, named),
				"finetune.disc_inv_weight", "finetune.reading")
		}
	}
	for _, model := range s.SMLM.Models {
		if len(s.SMLM.Unmasked) > 0 && len(s.Outputs(model)) == 0 {
			report(fmt.Sprintf("does not fit: with smlm.loss %q %s never learns to predict unmasked words, "+
				"so smlm.unmasked must hold %q", recipe.Masked, model, recipe.Copied), "smlm.unmasked", "smlm.loss")
			break
		}
	}
}

// check reports lists that do not go together. An experiment that only scores published outputs
// masks nothing.
func (m *MaskingSettings) check(trains bool, report func(sentence string, paths ...string)) {
	switch {
	case trains && len(m.Methods) == 0:
		report(needsOne(policy.Methods), "masking.methods")
	case trains && len(m.TrainOn) == 0:
		report(needsOne(policy.Methods), "masking.train_on")
	}
	for _, method := range m.TrainOn {
		if !slices.Contains(m.Methods, method) {
			report(fmt.Sprintf("lists %q, which is not in masking.methods", method), "masking.train_on")
		}
	}
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
