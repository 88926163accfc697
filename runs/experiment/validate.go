package experiment

import "fmt"

// checkSettings checks every combination of a data set's swept values. wheres gives, by variant, the path in the file of the
// schema paths that the file sets.
func (l *loader) checkSettings(d *Dataset, wheres []map[string]string) {
	if d.combinations(MaxPoints) > MaxPoints {
		l.bad("datasets."+d.Name, "the sweep axes of data set %q span more than %d points: sweep over fewer values", d.Name, MaxPoints)
		return
	}
	for i := range d.variants {
		where := wheres[i]
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
		d.variants[i].eachCombination(func(s Settings, _ []Axis) {
			c.settings(&s)
			c.together(&s, func(path string) bool { _, ok := where[path]; return ok })
		})
	}
}

// together checks values that exclude each other; set says which the file sets, to report at one of those.
func (c *checker) together(s *Settings, set func(path string) bool) {
	at := func(paths ...string) string {
		for _, p := range paths {
			if set(p) {
				return p
			}
		}
		return paths[0]
	}
	if s.SMLM.Heads > 0 && s.SMLM.Dim%s.SMLM.Heads != 0 {
		c.report(at("smlm.heads", "smlm.dim"), fmt.Sprintf("does not fit: smlm.dim %d is not divisible by smlm.heads %d", s.SMLM.Dim, s.SMLM.Heads))
	}
	if s.Finetune.IncludeCls && !s.SMLM.ClsToken {
		c.report(at("finetune.include_cls", "smlm.cls_token"), "does not fit: finetune.include_cls needs smlm.cls_token = true")
	}
	for _, model := range s.SMLM.Models {
		if len(s.SMLM.Unmasked) > 0 && len(s.Outputs(model)) == 0 {
			c.report(at("smlm.unmasked", "smlm.loss"), fmt.Sprintf(
				"does not fit: with smlm.loss \"masked\" %s never learns to predict unmasked words, so smlm.unmasked must hold \"copied\"", model))
			break
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
