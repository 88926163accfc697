package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs"
	"github.com/smlm-exp/smlm-exp/runs/kind"
)

// answer is a line of `transfer --json`.
type answer struct {
	Source string `json:"source"` // the words, one space between
	Masked string `json:"masked"`
	Output string `json:"output"`
	From   string `json:"from"`
	To     string `json:"to"`
	*kind.Origins
}

// printer writes what transfer answers.
type printer struct {
	*bufio.Writer
	line answer // From and To filled in
	json bool
}

// print writes a line for every sentence of a batch, and flushes; done are those that are not
// empty.
func (p printer) print(batch []corpus.Sentence, done []runs.Rewritten) error {
	enc := json.NewEncoder(p)
	enc.SetEscapeHTML(false)
	for _, words := range batch {
		line := p.line
		if len(words) > 0 {
			line.Source = strings.Join(words, " ")
			line.Masked, line.Output = strings.Join(done[0].Masked, " "), strings.Join(done[0].Output, " ")
			line.Origins, done = done[0].Origins, done[1:]
		}
		if p.json {
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
