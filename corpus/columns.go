package corpus

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// A file is a table if at least the share nearlyAll of its lines have the same number of tabs. In
// other files, only a few lines have tabs, as white space.
const nearlyAll = 0.75

// Columns counts tabs to detect tables. Outputs and references are often published as "source TAB
// output TAB label". Without this check, all columns would be read as one sentence.
type Columns struct {
	lines, usualTabs int
	byTabs           map[int]int // number of lines, by their number of tabs
	first            []string    // the fields of the first line that has tabs
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
}

// maxFields is the number of fields of the first line that are kept apart.
const maxFields = 16

// table returns the number of columns, or 0 if the lines are not a table.
func (c *Columns) table() int {
	if n := c.byTabs[c.usualTabs]; n == 0 || float64(n) < nearlyAll*float64(c.lines) {
		return 0
	}
	return c.usualTabs + 1
}

// Refuse returns an error if the lines are a table. The parameter texts is what the error
// message calls the lines, such as "first lines".
func (c *Columns) Refuse(path, texts string) error {
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
	return userr.New(userr.BadInput, "%q is a table with %d columns, not one sentence per line: "+
		"%d of its %d %s have %s (%s); keep one column, as `cut -f1` keeps the first",
		path, n, c.byTabs[c.usualTabs], c.lines, texts, wording.Count(c.usualTabs, "tab"),
		strings.Join(fields, ", "))
}
