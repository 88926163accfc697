package stages

import (
	"github.com/smlm-exp/smlm-exp/runs/experiment"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Guide is the word CNN that guides transfer models while they refill. It measures nothing.
const Guide stage.Kind = "guide"

var guideKind = stage.Definition{
	Name: Guide, Version: 1, Inputs: "prepare, vocab",
	Files: "a model: the word CNN that guides refilling",
}

// GuideSettings is [guide].
type GuideSettings struct {
	Seed uint64 `json:"seed"`
	experiment.GuideSettings
}
