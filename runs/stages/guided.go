package stages

import (
	"github.com/smlm-exp/smlm-exp/classifier"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// loadGuided makes a model, which params are of, ready to write with the help that its settings ask
// for; own as loadTransferModel has it.
func loadGuided(
	params *nn.Params, propose Proposing, inputs map[string]string, s TransferSettings, own bool,
) (m *Model, err error) {
	var guide *classifier.CNN
	free := func() {
		params.Free()
		if guide != nil {
			guide.Params.Free()
		}
	}
	defer func() {
		if err != nil {
			free()
		}
	}()
	r := guided.Refiller{How: s.Guided, Seed: s.Seed, KeepUnknown: own}
	if s.Guided.AsksGuide() {
		if guide, err = loadGuide(inputs["guide"]); err != nil {
			return nil, err
		}
		r.Guide = guide
	}
	if s.Guided.Fluency > 0 {
		if r.Fluency, err = loadFluency(inputs["fluency"]); err != nil {
			return nil, err
		}
	}
	if s.Guided.Price > 0 {
		key := inputs["mask"] + inputs["vocab"] + inputs[SharesInput]
		if r.LogShare, err = lastShares.get(key, func() ([2][]float64, error) {
			return Shares(inputs)
		}); err != nil {
			return nil, err
		}
	}
	return Guided(r, propose, free), nil
}

// lastShares: a run writes dev and test outputs, and those of a sweep, one after another.
var lastShares last[[2][]float64]
