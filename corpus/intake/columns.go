package intake

import (
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// The names that columns usually have, in any letter case.
var (
	usualTexts  = []string{"text", "sentence", "content", "review", "comment", "body", "tweet", "document"}
	usualLabels = []string{"label", "style", "sentiment", "class", "category", "target", "polarity"}
)

// columns are the places of a table's columns; label and split are below 0 where there is none.
type columns struct {
	text, label, split int
	rewrites           []int
}

// find finds the columns of a source among a table's names.
func (s *Source) find(names []string) (c columns, err error) {
	c.label, c.split = -1, -1
	if s.Rewrites == nil {
		if c.text, err = s.one("--text-column", s.Text, usualTexts, names); err != nil {
			return c, err
		}
		if c.label, err = s.one("--label-column", s.Labels, usualLabels, names); err != nil {
			return c, err
		}
	} else if c.text, err = s.one("--source-column", s.Text, nil, names); err != nil {
		return c, err
	}
	for _, name := range s.Rewrites {
		at, err := s.one("--rewrite-column", name, nil, names)
		if err != nil {
			return c, err
		}
		c.rewrites = append(c.rewrites, at)
	}
	if s.Split != "" {
		c.split, err = s.one("--split-column", s.Split, nil, names)
	}
	return c, err
}

// row is the row of a table whose cells are given by their place.
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
	for _, at := range c.rewrites {
		if rewrite := cell(at); strings.TrimSpace(rewrite) != "" {
			r.Rewrites = append(r.Rewrites, rewrite)
		}
	}
	return r
}

// oneColumn refuses a table of one column whose name looks like several: its columns are separated
// in another way than its ending says.
func (s *Source) oneColumn(names []string) error {
	if len(names) != 1 {
		return nil
	}
	for _, of := range []struct{ name, sign, do string }{
		{"a semicolon", ";", "save the file as CSV with commas"},
		{"a tab", "\t", "give it a name that ends in .tsv"},
		{"a comma", ",", "give it a name that ends in .csv"},
		{"a |", "|", "save the file as CSV with commas"},
	} {
		if strings.Contains(names[0], of.sign) {
			return userr.New(userr.BadInput, "%q seems to have %s between its columns (%.60q), which does not "+
				"fit its name: %s",
				s.Path, of.name, names[0], of.do)
		}
	}
	return nil
}

// The most names of columns that a message has, and their characters.
const (
	mostNamed = 50
	mostShown = 1000
)

// one finds the column asked for, or the only one of a usual name.
func (s *Source) one(flag, asked string, usual, names []string) (int, error) {
	var found []int
	for i, name := range names {
		if asked != "" && name == asked || asked == "" && slices.Contains(usual, strings.ToLower(strings.TrimSpace(name))) {
			found = append(found, i)
		}
	}
	if len(found) > 1 && names[found[0]] == names[found[1]] {
		return 0, userr.New(userr.BadInput, "%q has several columns named %s: rename all but one", s.Path, names[found[0]])
	}
	what := "no column with a usual name"
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		what = "several columns with usual names"
	case asked != "":
		what = "no column " + asked
	default:
		return 0, userr.New(userr.BadInput, "%q has %s: name it with %s, one of %s, or add a header line if "+
			"there is none", s.Path, what, flag, shownNames(names))
	}
	return 0, userr.New(userr.BadInput, "%q has %s: name it with %s, one of %s", s.Path, what, flag,
		shownNames(names))
}

// shownNames lists the first names of columns.
func shownNames(names []string) string {
	return wording.Clip(strings.Join(names[:min(len(names), mostNamed)], ", "), mostShown)
}
