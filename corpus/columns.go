package corpus

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

const (
	// nearlyAll: a file is a table if at least this share of its lines have the same number of
	// tabs. In other files, only a few lines have tabs, as white space.
	nearlyAll = 0.75
	// A column of labels has at most fewValues different values, with at most labelWords words on
	// average. The test for labels needs at least labelLines lines, because a shorter column of
	// texts may have few values too.
	fewValues  = 10
	labelWords = 3
	labelLines = 20
)

// Columns counts tabs and fields to detect tables. Outputs and references are often published as
// "source TAB output TAB label". Without this check, all columns would be read as one sentence.
type Columns struct {
	lines, usualTabs int
	byTabs           map[int]int // number of lines, by their number of tabs
	first            []string    // the fields of the first line that has tabs
	fields           []fieldCount
}

// fieldCount counts the values of a column.
type fieldCount struct {
	lines, words, phrases int // numbers of lines, words and values of more than one word
	values                map[string]bool
}

// Add counts a line if it has a word or a tab.
func (c *Columns) Add(line string) {
	if strings.TrimSpace(line) == "" && !strings.Contains(line, "\t") {
		return
	}
	c.lines++
	tabs := strings.Count(line, "\t")
	if tabs == 0 {
		return
	}
	if c.byTabs == nil {
		c.byTabs, c.first = map[int]int{}, strings.SplitN(line, "\t", maxFields+1)
	}
	c.byTabs[tabs]++
	if c.byTabs[tabs] > c.byTabs[c.usualTabs] {
		c.usualTabs = tabs
	}
	for i, value := range strings.SplitN(line, "\t", maxFields+1) {
		if i == len(c.fields) {
			c.fields = append(c.fields, fieldCount{values: map[string]bool{}})
		}
		f := &c.fields[i]
		f.lines++
		n := len(strings.Fields(value))
		if f.words += n; n > 1 {
			f.phrases++
		}
		if len(f.values) <= fewValues {
			f.values[strings.TrimSpace(value)] = true
		}
	}
}

// maxFields is the number of fields counted per line. The rest of the line counts as one more
// field.
const maxFields = 16

// isLabel reports whether a column holds labels, numbers or names, not texts.
func (f *fieldCount) isLabel() bool {
	return 2*f.phrases < f.lines ||
		f.lines >= labelLines && len(f.values) <= fewValues && f.words <= labelWords*f.lines
}

// table returns the number of columns, or 0 if the lines are not a table.
func (c *Columns) table() int {
	if n := c.byTabs[c.usualTabs]; n == 0 || float64(n) < nearlyAll*float64(c.lines) {
		return 0
	}
	return c.usualTabs + 1
}

// text returns the number of the column that seems to hold the texts, counted from 1, or 0 if there
// is none. If there are several, it returns the first. With rewrites set, it returns the last,
// because rewrites come after sources.
func (c *Columns) text(rewrites bool) (column int) {
	for i := range min(len(c.fields), c.table()) {
		if !c.fields[i].isLabel() && (rewrites || column == 0) {
			column = i + 1
		}
	}
	return column
}

// Refuse returns an error if the lines are a table. The parameter texts is what the error
// message calls the lines, such as "first lines".
func (c *Columns) Refuse(path, texts string, rewrites bool) error {
	n := c.table()
	if n == 0 {
		return nil
	}
	var fields []string
	for i, field := range c.first[:min(n, len(c.first))] {
		if utf8.RuneCountInString(field) > 20 {
			field = string([]rune(field)[:20]) + "..."
		}
		fields = append(fields, fmt.Sprintf("%d %q", i+1, field))
	}
	if n > len(fields) {
		fields = append(fields, "...")
	}
	column, phrase := c.text(rewrites), "it seems "
	if column == 0 {
		column, phrase = 1, "for instance "
	}
	return userr.New(userr.BadInput, "%q is a table with %d columns, not one sentence per line: "+
		"%d of its %d %s have %s (%s); keep one column, %s%d, as `cut -f%d` does",
		path, n, c.byTabs[c.usualTabs], c.lines, texts, wording.Count(c.usualTabs, "tab"),
		strings.Join(fields, ", "), phrase,
		column, column)
}
