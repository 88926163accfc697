package human

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Votes are those of a human evaluation: of every annotator for every item.
type Votes struct {
	Annotators []string // in the order in which they first vote
	directions []votedDirection
}

type votedDirection struct {
	name  string
	items []votedItem
}

type votedItem struct {
	name   string
	counts [voteKinds]int
	by     map[string]int // annotator -> line of the vote
}

var votesHeader = []string{"direction", "item", "annotator", "vote"}

// Read reads a CSV file with the header "direction,item,annotator,vote"; a vote is a, b, both or
// neither, and an item is one of its direction. Every annotator must vote once for every item.
// Errors are userr.BadInput and name file and line.
func Read(path string) (*Votes, error) {
	f, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, userr.New(userr.BadInput, "the votes file %q does not exist; give a CSV file with the header %s",
			path, strings.Join(votesHeader, ","))
	}
	if err != nil {
		return nil, userr.New(userr.BadInput, "the votes file %q cannot be read (%w): give a CSV file with the header %s",
			path, files.Cause(err), strings.Join(votesHeader, ","))
	}
	defer f.Close()
	return parseVotes(path, f)
}

// parseVotes is Read of a file's content; name is what errors call it.
func parseVotes(name string, r io.Reader) (*Votes, error) {
	text := bufio.NewReader(r)
	if mark, _ := text.Peek(3); string(mark) == "\ufeff" { // a spreadsheet's, also before a quotation mark
		_, _ = text.Discard(3)
	}
	begin, _ := text.Peek(200) // an error is met again where the text is read
	c := csv.NewReader(text)
	c.Comma = between(begin, votesHeader)
	c.FieldsPerRecord = -1 // counted here, for a sentence of ours
	v := &Votes{}
	fail := func(line int, format string, args ...any) (*Votes, error) {
		return nil, userr.New(userr.BadInput, "votes %s:%d: %s", name, line, fmt.Sprintf(format, args...))
	}
	for first := true; ; first = false {
		fields, err := c.Read()
		if err == io.EOF && !first {
			break
		}
		if err == io.EOF {
			return fail(1, "the file is empty; its first line must be %s", strings.Join(votesHeader, ","))
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			return fail(broken.Line, "the line is not CSV (%v); put a field that contains a quotation mark "+
				"between quotation marks and double it", broken.Err)
		}
		if err != nil {
			return nil, userr.New(userr.BadInput, "the votes file %q cannot be read: %w", name, err)
		}
		line, _ := c.FieldPos(0)
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		switch {
		case first && !slices.Equal(fields, votesHeader):
			return fail(line, "the first line must be %s, but is %s", strings.Join(votesHeader, ","),
				wording.Quoted(strings.Join(fields, ",")))
		case first:
		case len(fields) != len(votesHeader) || slices.Contains(fields, ""):
			return fail(line, "a line must have %d fields, none of them empty: %s", len(votesHeader),
				strings.Join(votesHeader, ","))
		default:
			if what := v.take(line, fields); what != "" {
				return fail(line, "%s", what)
			}
		}
	}
	if len(v.directions) == 0 {
		return fail(1, "there is no vote below the header; write one vote per line")
	}
	if line, what := v.missing(); what != "" {
		return fail(line, "%s", what)
	}
	return v, nil
}

// take counts the vote of a line; it returns what is wrong with it.
func (v *Votes) take(line int, fields []string) string {
	direction, item, annotator := wording.OfCell(fields[0]), wording.OfCell(fields[1]), fields[2]
	kind := slices.Index(voteNames[:], fields[3])
	if kind < 0 {
		return fmt.Sprintf("a vote must be %s, but is %s", strings.Join(voteNames[:], ", "), wording.Quoted(fields[3]))
	}
	d := slices.IndexFunc(v.directions, func(d votedDirection) bool { return d.name == direction })
	if d < 0 {
		d = len(v.directions)
		v.directions = append(v.directions, votedDirection{name: direction})
	}
	items := &v.directions[d].items
	i := slices.IndexFunc(*items, func(i votedItem) bool { return i.name == item })
	if i < 0 {
		i = len(*items)
		*items = append(*items, votedItem{name: item, by: map[string]int{}})
	}
	voted := &(*items)[i]
	if before, twice := voted.by[annotator]; twice {
		return fmt.Sprintf("%s votes for item %s of %s already on line %d; keep one of the lines",
			wording.Quoted(annotator), wording.Quoted(item), wording.Quoted(direction), before)
	}
	voted.by[annotator] = line
	voted.counts[kind]++
	if !slices.Contains(v.Annotators, annotator) {
		v.Annotators = append(v.Annotators, annotator)
	}
	return ""
}

// missing says which vote is missing, and the first line of its item; "": none.
func (v *Votes) missing() (line int, what string) {
	for _, d := range v.directions {
		for _, item := range d.items {
			for _, annotator := range v.Annotators {
				if _, voted := item.by[annotator]; !voted {
					first := 0
					for _, l := range item.by {
						if first == 0 || l < first {
							first = l
						}
					}
					return first, fmt.Sprintf("%s does not vote for item %s of %s; add the vote, or leave the item "+
						"or the annotator out",
						wording.Quoted(annotator), wording.Quoted(item.name), wording.Quoted(d.name))
				}
			}
		}
	}
	return 0, ""
}
