package plan

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/metrics/meteor"
	"github.com/smlm-exp/smlm-exp/runs/experiment"
)

// WordNet is the dictionary that METEOR looks synonyms up in.
type WordNet struct{ Dir, Version string }

// findWordNet looks for the dictionary where a point wants METEOR: in the folder that the
// experiment names, which must then have it for a run, or in the usual places. Where it is in none,
// no METEOR is planned: tables have that of before, or say what is missing.
func (b *builder) findWordNet(points []experiment.Point) error {
	e := b.plan.Experiment
	wants := func(p experiment.Point) bool { return p.Settings.Metrics.METEOR }
	if !slices.ContainsFunc(points, wants) {
		return nil
	}
	dir, ok := meteor.Find(e.WordNet)
	if !ok && e.WordNet != "" {
		b.lacks(userr.New(
			userr.BadInput,
			"%s: wordnet: there is no WordNet in %q: name the folder that has data.noun and index.noun, or take the key "+
				"out",
			e.Place("wordnet"), e.WordNet,
		))
	}
	if !ok {
		return nil
	}
	version, err := meteor.Version(dir)
	if err != nil {
		return err
	}
	b.plan.WordNet = WordNet{dir, version}
	return nil
}
