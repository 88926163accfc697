package corpus

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus/demo"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// DemoName is the name of the corpus inside the program.
const DemoName = "demo"

// Demo returns the corpus inside the program: 30,000 training, 400 dev and 200 test sentences each
// of the styles gloomy (0) and cheerful (1), with a reference for every test sentence. It is the
// same every time and on every machine.
func Demo() *Dataset {
	c := demo.Generate(demo.Seed)
	return &Dataset{
		Name:   DemoName,
		Labels: slices.Clone(demo.Labels),
		Text:   [3][][]Sentence{Train: c.Train, Dev: c.Dev, Test: c.Test},
		Refs:   c.Refs,
	}
}

// moreDemo is how many further sentences of each style the judges of the demo corpus have.
const moreDemo = 2000

// MoreOfDemo returns further sentences of the demo corpus, by style. None is a test sentence or a
// reference of d. Some may be training or dev sentences.
func (d *Dataset) MoreOfDemo() [][]Sentence {
	tests := map[uint64]bool{}
	for _, sentences := range slices.Concat(d.Text[Test], d.Refs) {
		for _, words := range sentences {
			tests[hashed("unseen", words)] = true
		}
	}
	return lists.Map(demo.More(moreDemo), func(text []Sentence) []Sentence {
		return lists.Where(text, func(words Sentence) bool { return !tests[hashed("unseen", words)] })
	})
}
