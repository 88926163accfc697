package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// answer is a line of `transfer --json`.
type answer struct {
	Source string `json:"source"` // the words, one space between
	Masked string `json:"masked"`
	Output string `json:"output"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// printer writes what transfer answers.
type printer struct {
	*bufio.Writer
	line answer // From and To filled in
	json bool
}

// print writes a line for every sentence of a batch, and flushes. masked and outputs are those of
// the sentences that are not empty.
func (p printer) print(batch []corpus.Sentence, masked, outputs [][]string) error {
	enc := json.NewEncoder(p)
	enc.SetEscapeHTML(false)
	for _, words := range batch {
		line := p.line
		if len(words) > 0 {
			line.Source = strings.Join(words, " ")
			line.Masked, line.Output = strings.Join(masked[0], " "), strings.Join(outputs[0], " ")
			masked, outputs = masked[1:], outputs[1:]
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
