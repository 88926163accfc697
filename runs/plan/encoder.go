package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// encoderAt is what a folder of a pretrained encoder has, or why it cannot be read.
type encoderAt struct {
	settings stages.EncoderSettings
	err      error
}

// encoder adds the copy of the pretrained encoder that a key names, of which so many layers are
// taken.
func (b *builder) encoder(key, dir string, layers int, u use) *Stage {
	dir = b.plan.Experiment.Absolute(dir)
	at := b.plan.encoderIn(dir)
	b.refuse(key, cmp.Or(at.err, at.lacksLayers(dir, layers)))
	return b.encoderCopy(dir, at, u)
}

// encoderIn looks into a folder once.
func (p *Plan) encoderIn(dir string) encoderAt {
	at, ok := p.encoders[dir]
	if !ok {
		at = openEncoder(dir)
		p.encoders[dir] = at
	}
	return at
}

// lacksLayers says that a folder has fewer layers than are asked for.
func (at encoderAt) lacksLayers(dir string, layers int) error {
	if has := at.settings.Layers; at.err == nil && layers > has {
		return fmt.Errorf("the pretrained encoder %q has %s, fewer than the %d asked for: take at most "+
			"%d", dir, wording.Count(has, "layer"), layers, has)
	}
	return nil
}

// refuse says what is wrong with a key, unless something else was wrong before.
func (b *builder) refuse(key string, err error) {
	if err != nil && b.err == nil {
		b.err = userr.New(userr.BadInput, "%s: %s: %w", b.plan.Experiment.Place(key), key, err)
	}
}

// encoderCopy adds the copy of a folder.
func (b *builder) encoderCopy(dir string, at encoderAt, u use) *Stage {
	s := b.stage(stages.Encoder, at.settings, nil, u)
	s.Sources = map[string]string{"dir": dir}
	return s
}

// measuring adds the copy of a folder that measures. Where it cannot be read it is nil, and tables
// show what was measured with it before.
func (b *builder) measuring(key, dir string, u use) *Stage {
	at := b.plan.encoderIn(dir)
	if at.err != nil {
		b.lacks(userr.New(userr.BadInput, "%s: %s: %w", b.plan.Experiment.Place(key), key, at.err))
		return nil
	}
	return b.encoderCopy(dir, at, u)
}

// LacksEncoder tells whether the folder that BERTScore reads cannot be read on this machine.
func (p *Plan) LacksEncoder() bool {
	return slices.ContainsFunc(p.Points, func(ps *PointStages) bool {
		dir := ps.Point.Settings.Metrics.Encoder
		return dir != "" && p.encoders[p.Experiment.Absolute(dir)].err != nil
	})
}

// bertScore adds what compares outputs by the pretrained encoder of [metrics].
func (b *builder) bertScore(ps *PointStages, of contentOf, u use) (settings stages.BERTScoreSettings, encoder *Stage) {
	m := &ps.Point.Settings.Metrics
	settings.Layer, settings.Outputs = m.EncoderLayer, of.Outputs
	if !of.References {
		settings.ReferenceSets = b.scoreStage(ps).ReferenceSets
	}
	dir := b.plan.Experiment.Absolute(m.Encoder)
	encoder = b.measuring("metrics.encoder", dir, use{point: u.point})
	if encoder == nil {
		return settings, nil
	}
	at := b.plan.encoderIn(dir)
	if at.settings.Layers == m.EncoderLayer { // the last, which 0 is too
		settings.Layer = 0
	}
	b.refuse("metrics.encoder_layer", at.lacksLayers(dir, m.EncoderLayer))
	return settings, encoder
}

func openEncoder(dir string) (at encoderAt) {
	var f *folder.Folder
	if f, at.err = folder.Open(dir); at.err == nil {
		at.settings, at.err = stages.NewEncoder(f)
	}
	return at
}
