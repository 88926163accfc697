package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/rewrite"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// rewriteLines rewrites the sentences of the text batch by batch, prints the results, and returns
// the number of printed lines.
func rewriteLines(
	ctx context.Context, models stages.TransferSession, text *sentenceReader, to printer,
) (lines int, err error) {
	err = text.each(ctx, func(batch []*corpus.Source) error {
		full := wordsIn(fullOf(batch))
		var done []stages.Rewritten
		if len(full) > 0 {
			var err error
			if done, err = models.Rewrite(ctx, full); err != nil {
				return err
			}
		}
		if err := to.print(lines, batch, done); err != nil {
			return err
		}
		lines += len(batch)
		return nil
	})
	to.warn.rest()
	return lines, err
}

// The method each calls do with each batch in turn. An empty line is nil in its batch. If reading
// or do fails, each stops and returns the error.
func (s *sentenceReader) each(ctx context.Context, do func(batch []*corpus.Source) error) error {
	for {
		batch, err := s.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := do(batch); err != nil {
			return err
		}
	}
}

// fullOf returns the lines of a batch that are not empty.
func fullOf(batch []*corpus.Source) []*corpus.Source {
	return lists.Filter(batch, func(text *corpus.Source) bool { return text != nil })
}

// wordsIn returns the words of each sentence.
func wordsIn(batch []*corpus.Source) [][]string {
	return lists.Map(batch, func(text *corpus.Source) []string { return text.Words })
}

// printer writes the results of the command `transfer`.
type printer struct {
	*bufio.Writer
	from      func(*stages.Rewritten) string // label of a line's source style
	to        string                         // label of the target style
	asJSON    bool
	tokens    bool // write outputs tokenised, as in the corpora
	explained bool // write a report for people that shows where each word comes from
	several   bool // write all candidates: as a table if explained is set, else as tab-separated lines
	warn      *unknownWords
}

// print writes the result for every line of a batch and flushes the output. done has the results of
// the lines that are not empty. before is the number of lines that earlier batches had.
func (p printer) print(before int, batch []*corpus.Source, done []stages.Rewritten) error {
	for i, text := range batch {
		var is stages.Rewritten
		if text != nil {
			is, done = done[0], done[1:]
			p.warn.look(before+i+1, text.Words, &is)
		}
		switch {
		case p.asJSON:
			if err := p.json(text, &is); err != nil {
				return fmt.Errorf("writing line %d: %w", before+i+1, err)
			}
		case p.explained:
			p.explain(text, is)
		case p.several:
			p.candidates(before+i+1, text, is)
		default:
			// Errors are not checked here, because the writer keeps the first one and Flush returns
			// it.
			_, _ = p.WriteString(p.spelt(text, is.Output, is.Places) + "\n")
		}
	}
	if err := p.Flush(); err != nil {
		return fmt.Errorf("writing the output: %w", err)
	}
	return nil
}

// spelt joins the words of an output into the text that is printed. If p.tokens is set, single
// spaces separate the words; otherwise the text has the usual spacing and capitals. text is the
// source, or nil for an empty line.
func (p printer) spelt(text *corpus.Source, words []string, places []int) string {
	if text == nil || p.tokens {
		return strings.Join(words, " ")
	}
	return text.Restore(words, places)
}

// json writes the result for a line as a JSON object. For an empty line, the object contains only
// the styles.
func (p printer) json(text *corpus.Source, is *stages.Rewritten) error {
	var line rewrite.Answer
	if text != nil {
		line = rewrite.NewAnswer(text, is)
	} else {
		is = nil
	}
	line.From, line.To = p.from(is), p.to
	enc := json.NewEncoder(p)
	enc.SetEscapeHTML(false)
	return enc.Encode(line)
}

// candidates writes the candidates of an input line as tab-separated values, one candidate per
// output line.
func (p printer) candidates(number int, text *corpus.Source, is stages.Rewritten) {
	if number == 1 {
		_, _ = p.WriteString("line\trank\tscore\tguide\todd\tcost\ttext\n")
	}
	for k, c := range is.Candidates {
		fmt.Fprintf(p, "%d\t%d\t%.4f\t%.4f\t%d\t%.4f\t%s\n", number, k+1, c.Score, c.Origins.Guide, c.Odd, c.Cost,
			p.spelt(text, c.Output, c.Places))
	}
}

// The constant widest is the maximum width, in columns, of a line that the method aligned writes.
const widest = 100

// explain writes a report for people: the output; then the words of source and output, aligned,
// with the origin of each changed word; then the candidates.
func (p printer) explain(text *corpus.Source, is stages.Rewritten) {
	if text == nil {
		_, _ = p.WriteString("\n")
		return
	}
	fmt.Fprintf(p, "%s", p.spelt(text, is.Output, is.Places))
	if is.Origins != nil && is.Origins.Guide > 0 {
		fmt.Fprintf(p, "   (%s by the guide: %.2f)", p.to, is.Origins.Guide)
	}
	_, _ = p.WriteString("\n")
	if is.Origins == nil { // the decoding is not guided
		fmt.Fprintf(p, "  source  %s\n  masked  %s\n", strings.Join(text.Words, " "), strings.Join(is.Masked, " "))
	} else {
		p.aligned(text.Words, is)
	}
	p.table(text, is.Candidates)
	_, _ = p.WriteString("\n")
}

// The function how says where an output word comes from. For a word that SMLM filled in, it adds
// the probability. For a word kept from the source, it returns "" or, if the vocabulary lacks the
// word, "unknown".
func how(w stages.Word, unknown bool) string {
	switch {
	case w.Origin == guided.Filled:
		return fmt.Sprintf("%s %.2f", w.Origin, w.P)
	case w.Origin != guided.Kept:
		return string(w.Origin)
	case unknown:
		return "unknown"
	}
	return ""
}

// The method aligned writes the words of the source above the words of the output, in blocks of
// lines that are at most widest wide. A deleted word has nothing below it. If several words replace
// a source word, the source word is above the first of them.
func (p printer) aligned(source []string, is stages.Rewritten) {
	var rows [3]strings.Builder
	flush := func() {
		for i, name := range []string{"source", "output", ""} {
			if line := strings.TrimRight(rows[i].String(), " "); line != "" {
				fmt.Fprintf(p, "  %-6s  %s\n", name, line)
			}
			rows[i].Reset()
		}
	}
	used, last := 0, -1
	for _, w := range is.Origins.Words {
		cells := [3]string{wording.Visible(source[w.Place]), wording.Visible(w.Word), how(w, is.Unknown[w.Place])}
		if w.Place == last {
			cells[0] = ""
		}
		last = w.Place
		width := 0
		for _, c := range cells {
			width = max(width, utf8.RuneCountInString(c))
		}
		if used += width + 2; used > widest {
			flush()
			used = width + 2
		}
		for i, c := range cells {
			gap := strings.Repeat(" ", width+2-utf8.RuneCountInString(c))
			rows[i].WriteString(c + gap)
		}
	}
	flush()
}

// The method table writes the candidates of a line as a table. The first candidate is the output.
func (p printer) table(text *corpus.Source, all []stages.Candidate) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(p, "  %2s  %7s  %5s  %3s  %5s\n", "", "score", "guide", "odd", "cost")
	for k, c := range all {
		fmt.Fprintf(p, "  %2d  %7.2f  %5.2f  %3d  %5.2f  %s\n", k+1, c.Score, c.Origins.Guide, c.Odd, c.Cost,
			p.spelt(text, c.Output, c.Places))
	}
}

// unknownWords warns about lines in which the models know almost no word. It counts such lines, and
// prints a warning for the first few of them.
type unknownWords struct {
	w     io.Writer
	lines int
}

// toldLines is the maximum number of lines for which unknownWords prints a warning.
const toldLines = 3

// look warns if nearly all words of a line are unknown.
func (u *unknownWords) look(number int, words []string, is *stages.Rewritten) {
	known, all, few := is.Familiar(words)
	if !few {
		return
	}
	if u.lines++; u.lines <= toldLines {
		fmt.Fprintf(u.w, "smlm-exp: line %d: the models know only %d of its %s and copy the others: is the text in the "+
			"language and domain of the training data?\n", number, known, wording.Count(all, "word"))
	}
}

// The method rest prints the number of lines that look counted without printing a warning.
func (u *unknownWords) rest() {
	if u.lines > toldLines {
		fmt.Fprintf(u.w, "smlm-exp: in %s more the models know almost no word\n", wording.Count(u.lines-toldLines, "line"))
	}
}
