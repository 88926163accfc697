package intake

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// readJSON reads one object per line. Columns are the keys of the first one; others may come and
// go.
func readJSON(s Source, in *bufio.Reader, each func(Row) error) error {
	var names []string
	var c columns
	return s.lines(in, func(text string, line int) error {
		object, err := decode(text)
		if err != nil {
			return userr.New(userr.BadInput, "%s:%d: the line is not one JSON object (%w): write one object per "+
				"line, as `jq -c .` does, or of a list `jq -c '.[]'`", s.Path, line, err)
		}
		if names == nil {
			names = slices.Sorted(maps.Keys(object))
			if c, err = s.find(names); err != nil {
				return err
			}
		}
		var wrong error
		row := c.row(&s, line, func(at int) string {
			value, err := s.value(object, names[at], line)
			wrong = cmp.Or(wrong, err)
			return value
		})
		if wrong != nil {
			return wrong
		}
		return each(row)
	})
}

// decode reads one object.
func decode(text string) (map[string]any, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	switch {
	case !ok:
		return nil, errors.New("it is something else")
	case dec.More():
		return nil, errors.New("there is more on the line")
	}
	return object, nil
}

// value returns a text, a number or a truth value as text, "" if it is null or missing.
func (s *Source) value(object map[string]any, key string, line int) (string, error) {
	switch v := object[key].(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number, bool:
		return fmt.Sprint(v), nil
	}
	return "", userr.New(userr.BadInput, "%s:%d: %q is neither text nor a number: correct the line", s.Path, line, key)
}
