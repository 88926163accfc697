package intake

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// readJSON reads an object a line. Columns are the keys of the first one; others may come and go.
func readJSON(s Source, in io.Reader, each func(Row) error) error {
	var names []string
	var c columns
	return s.lines(in, func(text string, line int) error {
		dec := json.NewDecoder(strings.NewReader(text))
		dec.UseNumber()
		var object map[string]any
		if err := dec.Decode(&object); err != nil || dec.More() {
			return userr.New(userr.BadInput, "%s:%d: the line is not one JSON object: %.60q", s.Path, line, text)
		}
		if names == nil {
			var err error
			names = slices.Sorted(maps.Keys(object))
			if c, err = s.find(names); err != nil {
				return err
			}
		}
		row := Row{Path: s.Path, Line: line}
		var err error
		if row.Text, err = s.value(object, names[c.text], line); err != nil {
			return err
		}
		if row.Label, err = s.value(object, names[c.label], line); err != nil {
			return err
		}
		if c.split >= 0 {
			if row.Split, err = s.value(object, names[c.split], line); err != nil {
				return err
			}
		}
		return each(row)
	})
}

// value returns a text, a number or a truth value as text.
func (s *Source) value(object map[string]any, key string, line int) (string, error) {
	switch v := object[key].(type) {
	case string:
		return v, nil
	case json.Number, bool:
		return fmt.Sprint(v), nil
	default:
		return "", userr.New(userr.BadInput, "%s:%d: %q is missing, or neither text nor a number: mend the line", s.Path,
			line, key)
	}
}
