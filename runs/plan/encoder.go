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

// encoderAt describes a pretrained encoder in a folder, or why it cannot be read.
type encoderAt struct {
	settings stages.EncoderSettings
	err      error
}

// encoder adds the copy of the pretrained encoder that a key names. An encoder with fewer layers
// than requested is an error.
func (b *builder) encoder(key, dir string, layers int, u use) *Stage {
	dir = b.plan.Experiment.Absolute(dir)
	at := b.plan.encoderIn(dir)
	b.refuse(key, cmp.Or(at.err, at.lacksLayers(dir, layers)))
	return b.encoderCopy(dir, at, u)
}

// encoderIn opens the encoder in a folder. It opens each folder once.
func (p *Plan) encoderIn(dir string) encoderAt {
	at, ok := p.encoders[dir]
	if !ok {
		at = openEncoder(dir)
		p.encoders[dir] = at
	}
	return at
}

// lacksLayers returns an error if the encoder has fewer layers than requested.
func (at encoderAt) lacksLayers(dir string, layers int) error {
	if has := at.settings.Layers; at.err == nil && layers > has {
		return fmt.Errorf("the pretrained encoder %q has %s, fewer than the %d asked for: take at most "+
			"%d", dir, wording.Count(has, "layer"), layers, has)
	}
	return nil
}

// refuse records an error in a key, unless there was an error before.
func (b *builder) refuse(key string, err error) {
	if err != nil && b.err == nil {
		b.err = userr.New(userr.BadInput, "%s: %s: %w", b.plan.Experiment.Place(key), key, err)
	}
}

// encoderCopy adds the copy of an encoder's folder.
func (b *builder) encoderCopy(dir string, at encoderAt, u use) *Stage {
	s := b.stage(stages.Encoder, at.settings, nil, u)
	s.Sources = map[string]string{"dir": dir}
	return s
}

// measuring adds the copy of a pretrained encoder that measures outputs. If the encoder cannot be
// read, it returns nil, and tables show earlier measurements.
func (b *builder) measuring(key, dir string, u use) *Stage {
	at := b.plan.encoderIn(dir)
	if at.err != nil {
		b.lacks(userr.New(userr.BadInput, "%s: %s: %w", b.plan.Experiment.Place(key), key, at.err))
		return nil
	}
	return b.encoderCopy(dir, at, u)
}

// LacksEncoder reports whether BERTScore's encoder cannot be read on this machine.
func (p *Plan) LacksEncoder() bool {
	return slices.ContainsFunc(p.Points, func(ps *PointStages) bool {
		dir := ps.Point.Settings.Metrics.Encoder
		return dir != "" && p.encoders[p.Experiment.Absolute(dir)].err != nil
	})
}

// bertScore returns the settings of BERTScore, and its encoder from [metrics].
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
	if at.settings.Layers == m.EncoderLayer { // the last layer is 0 in settings
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
