package corpus

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smlm-exp/smlm-exp/corpus/demo"
	"github.com/smlm-exp/smlm-exp/internal/lists"
)

// DemoName is the name of the built-in demo corpus.
const DemoName = "demo"

// DemoTests is the number of test sentences per style of the demo corpus.
const DemoTests = demo.TestSentences

// DemoLabels returns the names of the demo corpus's styles.
func DemoLabels() Styles { return slices.Clone(demo.Labels) }

// Demo returns the built-in demo corpus. Each of the styles gloomy (0) and cheerful (1) has
// 30,000 training, 400 dev and 200 test sentences, with a reference for every test sentence. It is
// the same every time and on every machine.
func Demo() *Dataset {
	c := generated()
	clipped := func(text [][]Sentence) [][]Sentence { return lists.Map(text, slices.Clip[[]Sentence]) }
	return &Dataset{
		Name:   DemoName,
		Labels: DemoLabels(),
		Text:   [3][][]Sentence{Train: clipped(c.Train), Dev: clipped(c.Dev), Test: clipped(c.Test)},
		Refs:   clipped(c.Refs),
	}
}

// Generating the text takes a third of a second, and one command may need the text several times.
// So each of these functions generates its text only on the first call.
var (
	generated     = sync.OnceValue(func() *demo.Corpus { return demo.Generate(demo.Seed) })
	generatedMore = sync.OnceValue(func() [][]Sentence { return demo.MoreSentences(moreDemo) })
)

// moreDemo is the number of sentences per style that are generated for MoreOfDemo.
const moreDemo = 2000

//go:embed demo.sha256
var demoSums string

// DemoSums maps the name of each file of the demo corpus to the SHA-256 checksum of the file, in
// hex. The names are those of the files that Save writes, and those that MoreName returns. DemoSums
// reads a stored list of checksums, so it need not generate the text.
func DemoSums() map[string]string {
	sums := map[string]string{}
	for line := range strings.Lines(demoSums) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		sums[name] = sum
	}
	return sums
}

// MoreName returns the name of the file with the sentences that MoreOfDemo returns for a style.
func MoreName(style int) string { return fmt.Sprintf("more.%d.txt", style) }

// MoreOfDemo returns further demo sentences by style. No sentence is a test sentence or a reference
// of d, but some may be training or dev sentences.
func (d *Dataset) MoreOfDemo() [][]Sentence {
	tests := setOf(d.Text[Test], d.Refs)
	return lists.Map(generatedMore(), func(text []Sentence) []Sentence {
		return lists.Filter(text, func(words Sentence) bool { return !tests.has(words) })
	})
}
