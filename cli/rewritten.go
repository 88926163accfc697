package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// rewritten is a line of `transfer --json`.
type rewritten struct {
	Source string `json:"source"` // the words, one space between
	Masked string `json:"masked"`
	Output string `json:"output"`
	From   string `json:"from"`
	To     string `json:"to"`
}

// printer writes what transfer answers.
type printer struct {
	*bufio.Writer
	line rewritten // From and To filled in
	json bool
}

// print writes a line for every sentence of a batch, and flushes. masked and outputs are those of the sentences that are not empty.
func (p printer) print(batch []corpus.Sentence, masked, outputs [][]string) error {
	enc := json.NewEncoder(p)
	enc.SetEscapeHTML(false)
	for _, words := range batch {
		p.line.Source, p.line.Masked, p.line.Output = "", "", ""
		if len(words) > 0 {
			p.line.Source, p.line.Masked, p.line.Output = strings.Join(words, " "), strings.Join(masked[0], " "), strings.Join(outputs[0], " ")
			masked, outputs = masked[1:], outputs[1:]
		}
		var err error
		if p.json {
			err = enc.Encode(p.line)
		} else {
			_, err = p.WriteString(p.line.Output + "\n")
		}
		if err != nil {
			return fmt.Errorf("writing the output: %w", err)
		}
	}
	if err := p.Flush(); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}
