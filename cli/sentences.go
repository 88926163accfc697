package cli

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/report/table"
	"github.com/smlm-exp/smlm-exp/runs/results"
)

// writeSentences prints a few test sentences with their masks and outputs, below the table that
// measures all outputs.
func writeSentences(e *env, found *results.Results) {
	system, why, sentences := found.Sentences()
	if len(sentences) == 0 {
		return
	}
	width := len("masked")
	for _, s := range sentences {
		width = max(width, len([]rune(s.From)), len([]rune(s.To)))
	}
	fmt.Fprintf(e.stdout, "\nTest sentences, rewritten by %s:\n", system)
	for i, s := range sentences {
		if i > 0 {
			fmt.Fprintln(e.stdout)
		}
		for _, line := range [][2]string{{s.From, s.Source}, {"masked", s.Masked}, {s.To, s.Output}} {
			fmt.Fprintln(e.stdout, cutTo(fmt.Sprintf("  %-*s  %s", width, line[0], line[1]), table.ScreenWidth))
		}
	}
	if why != "" {
		fmt.Fprint(e.stdout, "\n"+why+"\n")
	}
	fmt.Fprintln(e.stdout)
}

// cutTo cuts a line to a number of columns. An ellipsis replaces the part that is cut off.
func cutTo(line string, columns int) string {
	return wording.Clip(strings.TrimRight(line, " "), columns)
}
