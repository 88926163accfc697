package experiment

import (
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/masking/policy"
)

// checkSettings checks every combination of a data set's swept values, unless there are more than
// maxPoints. The map wheres[i] belongs to variant i. It maps a path such as
// "smlm.dim" to the key in the file that sets the value, such as "datasets.snli.smlm.dim".
func (l *loader) checkSettings(d *Dataset, wheres []map[string]string) {
	if d.combinations() > maxPoints {
		l.bad("datasets."+d.Name, "the sweep axes of data set %q span more than %d points: sweep over fewer "+
			"values",
			d.Name, maxPoints)
		return
	}
	for i, v := range d.variants {
		v.eachCombination(func(s Settings, _ []Axis) {
			check(&s, func(sentence string, paths ...string) {
				file := paths[0]
				for _, path := range slices.Backward(paths) {
					if at, ok := wheres[i][path]; ok {
						file = at
					}
				}
				if !slices.ContainsFunc(paths, l.unsure) {
					l.bad(file, "%s %s", file, sentence)
				}
			})
		})
	}
}

// Check returns an error for the first setting that an experiment file cannot have.
func (s *Settings) Check() (err error) {
	check(s, func(sentence string, paths ...string) {
		if err == nil {
			err = userr.New(userr.BadInput, "%s %s", paths[0], sentence)
		}
	})
	return err
}

// check reports the problems in the settings s. For each problem it calls tell with a sentence and
// the paths of the keys concerned, such as "smlm.dim". With these paths the caller finds the keys
// in the file. If two keys contradict each other and one of them is already invalid by itself, the
// contradiction is not reported.
func check(s *Settings, tell func(sentence string, paths ...string)) {
	bad := map[string]bool{}
	report := func(sentence string, paths ...string) {
		if !slices.ContainsFunc(paths, func(path string) bool { return bad[path] }) {
			tell(sentence, paths...)
		}
	}
	for _, f := range schema {
		if f.path == "masking.train_on" && bad["masking.methods"] {
			// If the file does not set train_on, train_on may be a copy of methods, and an error in
			// methods would be reported twice.
			continue
		}
		for _, sentence := range f.wrong(f.of(s)) {
			tell(sentence, f.path)
			bad[f.path] = true
		}
	}
	s.Masking.check(len(s.SMLM.Models) > 0, report)
	if s.SMLM.Heads > 0 && s.SMLM.Dim%s.SMLM.Heads != 0 {
		report(fmt.Sprintf("does not fit: smlm.dim %d is not divisible by smlm.heads %d, so change one of them", s.SMLM.Dim, s.SMLM.Heads),
			"smlm.heads", "smlm.dim")
	}
	for _, model := range s.SMLM.Models {
		if len(s.SMLM.Decoding) == 0 || len(s.Outputs(model)) > 0 {
			continue
		}
		if model == "smlm-g" {
			report("does not fit: smlm-g writes no guided outputs, so smlm.decoding must contain \"copied\" or \"predicted\"",
				"smlm.decoding", "smlm.models")
		} else {
			report(fmt.Sprintf("does not fit: with smlm.loss %q %s never learns to predict unmasked words, so "+
				"smlm.decoding must contain %q", recipe.Masked, model, recipe.Copied),
				"smlm.decoding", "smlm.loss", "smlm.models")
		}
		break
	}
}

// check reports an empty list of masking methods, and methods that the key "train_on" lists but the
// key "methods" does not. An experiment that trains no models needs no methods.
func (m *MaskingSettings) check(trains bool, report func(sentence string, paths ...string)) {
	switch {
	case trains && len(m.Methods) == 0:
		report(needsOne(policy.Methods), "masking.methods", "smlm.models")
	case trains && len(m.TrainOn) == 0:
		report(needsOne(policy.Methods), "masking.train_on", "masking.methods", "smlm.models")
	}
	for _, method := range m.TrainOn {
		if !slices.Contains(m.Methods, method) {
			report(fmt.Sprintf("lists %q, which is not in masking.methods: add it there", method), "masking.train_on", "masking.methods")
		}
	}
}
