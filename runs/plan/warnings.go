package plan

import (
	"errors"
	"fmt"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// warnOf adds a warning about a file, unless it is "".
func (d *Data) warnOf(file, sentence string) {
	if sentence != "" {
		d.warnings = append(d.warnings, fmt.Sprintf("%s: %s", file, sentence))
	}
}

// suspectReferences warns about references that are tokenised differently from their sources.
func (d *Data) suspectReferences(set *corpus.Dataset) {
	for of, refs := range set.References() {
		d.warnOf("datasets."+d.Name+": "+corpus.RefName(set.Labels, of),
			metrics.TokenisationWarning("references", set.Text[corpus.Test][of.From], refs))
	}
}

// suspectTest warns about test sentences that are also training or dev sentences. Every corpus has
// a few.
func (d *Data) suspectTest(set *corpus.Dataset) {
	for style, n := range set.TestAlsoIn(corpus.Train) {
		if all := len(set.Text[corpus.Test][style]); 2*n > all {
			d.warnOf("datasets."+d.Name, fmt.Sprintf("%d of %s in the style %s are also training sentences, "+
				"so results include what was learnt by heart: remove them from the training text, or test on "+
				"others", n,
				wording.Count(all, "test sentence"), set.Labels[style]))
		}
	}
	if inDev := testOverlap(set, corpus.Dev); inDev.Suspect() {
		d.warnOf("datasets."+d.Name, fmt.Sprintf("%d of %s are also dev sentences, so settings chosen on the "+
			"dev set are measured on the same sentences: remove them from the dev set (`smlm-exp data report` "+
			"compares all splits)", inDev.Equal,
			wording.Count(inDev.Sentences, "test sentence")))
	}
}

// Warnings returns sentences about probable mistakes in the data.
func (p *Plan) Warnings() (out []string) {
	for _, d := range p.Experiment.Datasets {
		out = append(out, p.Data[d.Name].warnings...)
	}
	return out
}

// Check returns an error if there is too little text to train an instrument among the stages to
// run. Without the check, the stage would fail in the middle of a run.
func (p *Plan) Check(todo []*Stage) error {
	var errs []error
	for _, s := range todo {
		if prepare := s.Inputs["prepare"]; prepare != nil && s.Sources["file"] == "" {
			of, ok := prepare.Settings.(stages.PrepareSettings)
			if !ok { // an unseen text; no instrument in unfit reads it
				continue
			}
			if err := p.Data[of.Name].unfit[s.Name]; err != nil {
				left := ""
				if of.MaxTrain > 0 {
					left = fmt.Sprintf("with %s of each style (max_train), ", wording.Count(of.MaxTrain, "sentence"))
				}
				errs = append(errs, userr.New(userr.BadInput, "datasets.%s: %s%w", of.Name, left, err))
			}
		}
	}
	return errors.Join(errs...)
}

// testOverlap counts the test sentences that are also in a split.
func testOverlap(set *corpus.Dataset, split corpus.Split) corpus.Overlap {
	in := corpus.Overlap{Sentences: set.Size(corpus.Test)}
	for _, n := range set.TestAlsoIn(split) {
		in.Equal += n
		in.Folded += n
	}
	return in
}
