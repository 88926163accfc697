package plan

import (
	"fmt"

	"github.com/smlm-exp/smlm-exp/internal/userr"
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
	at, ok := b.plan.encoders[dir]
	if !ok {
		at = openEncoder(dir)
		b.plan.encoders[dir] = at
	}
	err := at.err
	if has := at.settings.Layers; err == nil && layers > has {
		err = fmt.Errorf("the pretrained encoder %q has %d layers, fewer than the %d asked for: take at most %[2]d", dir, has, layers)
	}
	if err != nil && b.err == nil {
		b.err = userr.New(userr.BadInput, "%s: %s: %w", b.plan.Experiment.Place(key), key, err)
	}
	s := b.stage(stages.Encoder, at.settings, nil, u)
	s.Sources = map[string]string{"dir": dir}
	return s
}

func openEncoder(dir string) (at encoderAt) {
	var f *folder.Folder
	if f, at.err = folder.Open(dir); at.err == nil {
		at.settings, at.err = stages.NewEncoder(f)
	}
	return at
}
