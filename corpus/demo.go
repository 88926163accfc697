package corpus

import "github.com/smlm-exp/smlm-exp/corpus/demo"

// Demo returns the embedded corpus: 4,000 training, 400 dev and 200 test sentences each of the
// styles gloomy (0) and cheerful (1), with a reference for every test sentence. It is the same
// every time and on every machine.
func Demo() *Dataset {
	c := demo.Generate(demo.Seed)
	return &Dataset{
		Name:   "demo",
		Labels: demo.Labels,
		Text:   [3][2][]Sentence{Train: c.Train, Dev: c.Dev, Test: c.Test},
		Refs:   c.Refs,
	}
}
