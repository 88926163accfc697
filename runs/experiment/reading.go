package experiment

import (
	"reflect"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
)

// readingWeight is the key of the weight that one reading of fine-tuning has.
const readingWeight = "finetune.disc_inv_weight"

// weighs tells whether any point may read that weight.
func (e *Experiment) weighs() bool {
	return slices.ContainsFunc(e.Datasets, func(d *Dataset) bool {
		return slices.ContainsFunc(d.variants, func(v *variant) bool {
			for _, a := range v.axes {
				if a.path == "finetune.reading" {
					return slices.ContainsFunc(a.values, func(x reflect.Value) bool {
						return x.String() == string(recipe.AuthorsCode)
					})
				}
			}
			return v.base.Finetune.Reading == recipe.AuthorsCode
		})
	})
}

// checkReading refuses a weight, set at a path of the file, that no point reads; "" is none.
func (l *loader) checkReading(file string) {
	if file != "" && !l.exp.weighs() && !l.unsure("finetune.reading") && !l.unread["profile"] {
		l.bad(file, "%s does not fit: only finetune.reading = %q has a weight; set that (%q is a weight of 1, %q of 0) "+
			"or take the weight out", file, recipe.AuthorsCode, recipe.MinMax, recipe.Algorithm)
	}
}
