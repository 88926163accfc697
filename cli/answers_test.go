package cli

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
	"pgregory.net/rapid"
)

// TestAlignedWords checks that the report shows each source word and each output word once and in
// order, and each note below its word. This must hold for replaced, deleted and added words, and
// for any number of blocks.
func TestAlignedWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var source []string
		is := stages.Rewritten{Origins: &stages.Origins{}}
		var below []string // for each word of is.Origins, the word above its note
		write := func(of string, origin guided.Origin) {
			w := stages.Word{Origin: origin, Place: len(source) - 1, P: .5}
			if origin != guided.Deleted {
				of = fmt.Sprintf("out%d", len(is.Output))
				is.Output, w.Word = append(is.Output, of), of
			}
			is.Origins.Words, below = append(is.Origins.Words, w), append(below, of)
		}
		for k := range rapid.IntRange(1, 40).Draw(t, "words") {
			source = append(source, fmt.Sprintf("in%d", k))
			is.Unknown = append(is.Unknown, rapid.Bool().Draw(t, "unknown"))
			origin := rapid.SampledFrom([]guided.Origin{
				guided.Kept, guided.Filled, guided.Rephrased, guided.Deleted,
			}).Draw(t, "origin")
			write(source[k], origin)
			if origin == guided.Rephrased {
				for range rapid.IntRange(0, 2).Draw(t, "further") {
					write("", origin)
				}
			}
		}
		var b bytes.Buffer
		p := printer{Writer: bufio.NewWriter(&b)}
		p.aligned(source, is)
		_ = p.Flush()
		rows := map[string][]string{}
		at := map[string]int{} // column of each word within its block
		var notes []string
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n") + " "
			name := strings.TrimSpace(line[:10])
			if name == "" {
				notes = append(notes, line)
				continue
			}
			for _, w := range strings.Fields(line[10:]) {
				rows[name], at[w] = append(rows[name], w), strings.Index(line, " "+w+" ")
			}
		}
		if !slices.Equal(rows["source"], source) || !slices.Equal(rows["output"], is.Output) {
			t.Fatalf("of %q and %q:\n%s", source, is.Output, b.String())
		}
		said := 0
		for k, w := range is.Origins.Words {
			if w.Origin == guided.Kept {
				continue
			}
			said++
			note := fmt.Sprintf(" %s ", w.Origin)
			if w.Origin == guided.Filled {
				note += "0.50 "
			}
			if !slices.ContainsFunc(notes, func(line string) bool {
				return strings.HasPrefix(line[min(len(line), at[below[k]]):], note)
			}) {
				t.Errorf("%q does not stand below %q:\n%s", note, below[k], b.String())
			}
		}
		if all := strings.Join(notes, ""); strings.Count(all, "filled")+strings.Count(all, "rephrased")+
			strings.Count(all, "deleted") != said {
			t.Errorf("%d words are not the source's:\n%s", said, b.String())
		}
	})
}
