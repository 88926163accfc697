package stream

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// Answer is a line of `transfer --json`.
type Answer struct {
	Source string `json:"source"` // the words, one space between
	Masked string `json:"masked"`
	Output string `json:"output"`
	From   string `json:"from"`
	To     string `json:"to"`
	*kind.Origins
}

// Printer writes what transfer answers.
type Printer struct {
	*bufio.Writer
	Line Answer // From and To filled in
	JSON bool
}

// print writes a line for every sentence of a batch, and flushes; done are those that are not
// empty.
func (p Printer) print(batch []corpus.Sentence, done []runs.Rewritten) error {
	enc := json.NewEncoder(p)
	enc.SetEscapeHTML(false)
	for _, words := range batch {
		line := p.Line
		if len(words) > 0 {
			line.Source = strings.Join(words, " ")
			line.Masked, line.Output = strings.Join(done[0].Masked, " "), strings.Join(done[0].Output, " ")
			line.Origins, done = done[0].Origins, done[1:]
		}
		if p.JSON {
			_ = enc.Encode(line) // the writer keeps its first error, which Flush returns
		} else {
			_, _ = p.WriteString(line.Output + "\n")
		}
	}
	if err := p.Flush(); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}
