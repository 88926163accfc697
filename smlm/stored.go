package smlm

import "encoding/json"

// stored is Config as model.json has it, which is older than its fields' names: two switches are
// the other way round, and the paper's way is left out.
type stored struct {
	shape
	ControlCodes    storedFrame `json:"frame,omitzero"`
	FrozenEmbedding bool        `json:"frozen_embedding,omitempty"`
}

type shape Config

type storedFrame struct {
	NoSource bool `json:"no_source,omitempty"`
	Cls      bool `json:"cls,omitempty"`
	Shift    bool `json:"shift,omitempty"`
}

// MarshalJSON writes model.json.
func (c Config) MarshalJSON() ([]byte, error) {
	f := storedFrame{
		NoSource: !c.ControlCodes.SourceToken, Cls: c.ControlCodes.ClsToken, Shift: c.ControlCodes.ShiftTargets,
	}
	return json.Marshal(stored{shape(c), f, !c.TrainEmbeddings})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Config) UnmarshalJSON(text []byte) error {
	var s stored
	err := json.Unmarshal(text, &s)
	*c = Config(s.shape)
	c.ControlCodes = ControlCodes{
		SourceToken: !s.ControlCodes.NoSource, ClsToken: s.ControlCodes.Cls, ShiftTargets: s.ControlCodes.Shift,
	}
	c.TrainEmbeddings = !s.FrozenEmbedding
	return err
}
