package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// Answer is a line of `transfer --json`. Source, Masked and Output are in the form of the corpora,
// one space between two words.
type Answer struct {
	Source string `json:"source"`
	Masked string `json:"masked"`
	Output string `json:"output"`
	From   string `json:"from"`
	To     string `json:"to"`
	*stages.Origins
	Text       string      `json:"text"`              // the output as the user spells
	Unknown    []string    `json:"unknown,omitempty"` // words of the source that the vocabulary does not have
	Candidates []candidate `json:"candidates,omitempty"`
}

// candidate is a runs.Candidate as JSON.
type candidate struct {
	Output  string `json:"output"`
	Text    string `json:"text"`
	Written bool   `json:"written"`
	*stages.Origins
	LogQ       float64 `json:"log_q"`
	Fluency    float64 `json:"fluency,omitempty"`
	Similarity float64 `json:"similarity"`
	Total      float64 `json:"total"`
}

// printer writes what transfer answers.
type printer struct {
	*bufio.Writer
	Line     Answer // From and To filled in
	JSON     bool
	Tokens   bool // outputs in the form of the corpora
	Explain  bool // where each word comes from, for people
	Several  bool // candidates, as tab-separated lines or, explained, as a table
	Terminal bool // there are colours
	Warn     *Unknown
}

// print writes a line for every sentence of a batch, and flushes; done are those that are not
// empty, and before is how many lines went before.
func (p printer) print(before int, batch []*corpus.Source, done []stages.Rewritten) error {
	for i, text := range batch {
		var is stages.Rewritten
		if text != nil {
			is, done = done[0], done[1:]
			p.Warn.look(before+i+1, text.Words, &is)
		}
		switch {
		case p.JSON:
			p.json(text, is)
		case p.Explain:
			p.explain(text, is)
		case p.Several:
			p.candidates(before+i+1, text, is)
		default:
			_, _ = p.WriteString(p.spelt(text, is.Output) + "\n") // the writer keeps its first error, which Flush returns
		}
	}
	if err := p.Flush(); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// spelt is an output of a text as it is to be printed; nothing of an empty line.
func (p printer) spelt(text *corpus.Source, words []string) string {
	if text == nil || p.Tokens {
		return strings.Join(words, " ")
	}
	return text.Restore(words)
}

func (p printer) json(text *corpus.Source, is stages.Rewritten) {
	line := p.Line
	if text != nil {
		line.Source, line.Masked = strings.Join(text.Words, " "), strings.Join(is.Masked, " ")
		line.Output, line.Text, line.Origins = strings.Join(is.Output, " "), text.Restore(is.Output), is.Origins
		for k, unknown := range is.Unknown {
			if unknown {
				line.Unknown = append(line.Unknown, text.Words[k])
			}
		}
		for _, c := range is.Candidates {
			line.Candidates = append(line.Candidates, candidate{
				Output: strings.Join(c.Output, " "), Text: text.Restore(c.Output), Written: c.Written, Origins: c.Origins,
				LogQ: c.LogQ, Fluency: c.Fluency, Similarity: c.Similarity, Total: c.Total,
			})
		}
	}
	enc := json.NewEncoder(p)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(line)
}

// candidates writes those of a line as tab-separated values, one a line.
func (p printer) candidates(number int, text *corpus.Source, is stages.Rewritten) {
	if number == 1 {
		_, _ = p.WriteString("line\trank\twritten\ttotal\tlog_q\tguide\tfluency\tsimilarity\ttext\n")
	}
	for k, c := range is.Candidates {
		guide, fluency := "", ""
		if c.Guide > 0 {
			guide = fmt.Sprintf("%.4f", c.Guide)
		}
		if c.Fluency != 0 {
			fluency = fmt.Sprintf("%.4f", c.Fluency)
		}
		fmt.Fprintf(p, "%d\t%d\t%t\t%.4f\t%.4f\t%s\t%s\t%.4f\t%s\n", number, k+1, c.Written, c.Total, c.LogQ, guide,
			fluency, c.Similarity, p.spelt(text, c.Output))
	}
}
