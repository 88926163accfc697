package intake

import (
	"cmp"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// Usual names of columns. Upper and lower case do not matter.
var (
	usualTexts  = []string{"text", "sentence", "content", "review", "comment", "body", "tweet", "document"}
	usualLabels = []string{"label", "style", "sentiment", "class", "category", "target", "polarity"}
)

// columns holds the indices of a table's columns. The field label or split is below 0 if the table
// has no such column.
type columns struct {
	text, label, split int
	rewrites           []int
}

// find returns the indices of the columns that a source uses. names holds the table's column names.
func (s *Source) find(names []string) (c columns, err error) {
	c.label, c.split = -1, -1
	if s.Rewrites == nil {
		var noLabel error
		c.text, err = s.findColumn("--text-column", s.Text, usualTexts, names)
		c.label, noLabel = s.findColumn("--label-column", s.Labels, usualLabels, names)
		if err != nil && noLabel != nil && s.Labels == "" {
			err = userr.New(userr.BadInput, "%w; name the column of labels too, with --label-column", err)
		}
		if err = cmp.Or(err, noLabel); err != nil {
			return c, err
		}
	} else if c.text, err = s.findColumn("--source-column", s.Text, nil, names); err != nil {
		return c, err
	}
	for _, name := range s.Rewrites {
		column, err := s.findColumn("--rewrite-column", name, nil, names)
		if err != nil {
			return c, err
		}
		c.rewrites = append(c.rewrites, column)
	}
	if s.Split != "" {
		c.split, err = s.findColumn("--split-column", s.Split, nil, names)
	}
	return c, err
}

// row makes a Row from a row of a table. The function cell returns the cell in a column.
func (c *columns) row(s *Source, line int, cell func(int) string) Row {
	r := Row{Text: cell(c.text), Path: s.Path, Line: line}
	if c.label >= 0 {
		r.Label = cell(c.label)
	}
	if c.split >= 0 {
		r.Split = cell(c.split)
	}
	if s.Rewrites != nil {
		r.Rewrites = []string{}
	}
	for _, column := range c.rewrites {
		if rewrite := cell(column); strings.TrimSpace(rewrite) != "" {
			r.Rewrites = append(r.Rewrites, rewrite)
		}
	}
	return r
}

// maxShown is the maximum number of characters of column names or labels in a message.
const maxShown = 1000

// findColumn returns the position of the wanted column in names. If wanted is empty, it returns the
// position of the only column with a usual name. flag is the option with which a user chooses the
// column; error messages name it.
func (s *Source) findColumn(flag, wanted string, usual, names []string) (int, error) {
	var found []int
	for i, name := range names {
		if wanted != "" && name == wanted ||
			wanted == "" && slices.Contains(usual, strings.ToLower(strings.TrimSpace(name))) {
			found = append(found, i)
		}
	}
	if len(found) > 1 && names[found[0]] == names[found[1]] {
		return 0, userr.New(userr.BadInput, "%q has several columns named %s: rename all but one", s.Path, names[found[0]])
	}
	problem, advice := "no column with a usual name", ""
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		problem = "several columns with usual names"
	case wanted != "":
		problem = "no column " + wanted
	default:
		advice = ", or add a header line if there is none"
	}
	if len(names) == 1 {
		advice = ", or separate columns by commas in .csv files and by tabs in .tsv files"
	}
	return 0, userr.New(userr.BadInput, "%q has %s: name it with %s, one of %s%s", s.Path, problem, flag,
		wording.Clip(strings.Join(names, ", "), maxShown), advice)
}
