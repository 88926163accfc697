package corpus

import (
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus/demo"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// builtins are the corpora inside the program, the one that is shown first.
var builtins = []struct {
	name   string
	tables *demo.Tables
}{
	{"demo", demo.Moods},          // gloomy, cheerful
	{"registers", demo.Registers}, // plain, lofty, slangy
}

// Builtins are the names of the corpora inside the program.
func Builtins() (names []string) {
	for _, b := range builtins {
		names = append(names, b.name)
	}
	return names
}

// Builtin returns the corpus of a name inside the program, with a reference for every test sentence
// in every direction: the same every time and on every machine. It is nil where there is none.
func Builtin(name string) *Dataset {
	tables := tablesOf(name)
	if tables == nil {
		return nil
	}
	c := tables.Generate(demo.Seed)
	return &Dataset{
		Name:   name,
		Labels: slices.Clone(tables.Labels),
		Text:   [3][][]Sentence{Train: c.Train, Dev: c.Dev, Test: c.Test},
		Refs:   c.Refs,
	}
}

// Demo is Builtin("demo"): 10,000 training, 400 dev and 200 test sentences each of the styles
// gloomy (0) and cheerful (1).
func Demo() *Dataset { return Builtin("demo") }

func tablesOf(builtin string) *demo.Tables {
	for _, b := range builtins {
		if b.name == builtin {
			return b.tables
		}
	}
	return nil
}

// moreBuiltin is how many further sentences of each style the judges of a builtin have.
const moreBuiltin = 2000

// MoreOf returns further sentences by the grammar of the builtin that d is, by style: none is a
// test sentence or a reference. Some may be training or dev sentences.
func (d *Dataset) MoreOf(builtin string) [][]Sentence {
	tests := map[uint64]bool{}
	for _, sentences := range slices.Concat(d.Text[Test], d.Refs) {
		for _, words := range sentences {
			tests[hashed("unseen", words)] = true
		}
	}
	return lists.Map(tablesOf(builtin).More(moreBuiltin), func(text []Sentence) []Sentence {
		return lists.Where(text, func(words Sentence) bool { return !tests[hashed("unseen", words)] })
	})
}
