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

// TestAlignedWords: whatever became of the words of a source, each stands in its row once, in
// order, over as many blocks as it takes; what is said of a word stands below it.
func TestAlignedWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var source []string
		is := stages.Rewritten{Origins: &stages.Origins{}}
		var below []string // of each column the word that its note stands below, "" of none
		write := func(of string, origin guided.Origin) {
			w := stages.Word{Origin: origin, P: .5, Guide: .5}
			w.Negated = (origin == guided.Deleted || origin == guided.Inserted) && rapid.Bool().Draw(t, "negated")
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
				guided.Kept, guided.Restored, guided.Refilled, guided.Added, guided.Deleted,
			}).Draw(t, "origin")
			write(source[k], origin)
			if origin == guided.Refilled || origin == guided.Added {
				for range rapid.IntRange(0, 2).Draw(t, "further") {
					write("", guided.Inserted)
				}
			}
		}
		var b bytes.Buffer
		p := printer{Writer: bufio.NewWriter(&b)}
		p.aligned(source, is)
		_ = p.Flush()
		rows := map[string][]string{}
		at := map[string]int{} // columns of words in their block
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
			if w.Origin != guided.Deleted && w.Origin != guided.Inserted {
				continue
			}
			said++
			note := fmt.Sprintf(" %s 0.50", w.Origin)
			if w.Negated {
				note = " negated"
			}
			if !slices.ContainsFunc(notes, func(line string) bool {
				return strings.HasPrefix(line[min(len(line), at[below[k]]):], note)
			}) {
				t.Errorf("%q does not stand below %q:\n%s", note, below[k], b.String())
			}
		}
		if all := strings.Join(notes, ""); strings.Count(all, "deleted")+strings.Count(all, "inserted")+
			strings.Count(all, "negated") != said {
			t.Errorf("%d words are deleted, inserted or negated:\n%s", said, b.String())
		}
	})
}
