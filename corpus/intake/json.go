package intake

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// readJSON reads one object per line, or one list of objects. The columns are the keys of the first
// object. Later objects may lack some of these keys or have other keys.
func readJSON(s Source, input *bufio.Reader, visit func(Row) error) error {
	var names []string
	var c columns
	add := func(object map[string]any, line int) (err error) {
		if names == nil {
			names = slices.Sorted(maps.Keys(object))
			if c, err = s.find(names); err != nil {
				return cmp.Or(s.listInside(object), err)
			}
		}
		var firstErr error
		row := c.row(&s, line, func(column int) string {
			value, err := s.value(object, names[column], line)
			firstErr = cmp.Or(firstErr, err)
			return value
		})
		if firstErr != nil {
			return firstErr
		}
		return visit(row)
	}
	if head, _ := input.Peek(maxHead); strings.HasPrefix(strings.TrimSpace(string(head)), "[") {
		return s.list(input, add)
	}
	return s.lines(input, func(text string, line int) error {
		object, err := decode(text)
		if err != nil {
			return userr.New(userr.BadInput, "%s:%d: the line is not one JSON object (%w): write one object per "+
				"line, as `jq -c .` does, or `jq -c '.KEY[]'` for a list under a key", s.Path, line, err)
		}
		return add(object, line)
	})
}

// listInside returns an error that says how to write out the list in an object, or nil if the
// object has no list.
func (s *Source) listInside(object map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if _, isList := object[key].([]any); isList {
			return userr.New(userr.BadInput, "%q has a list under the key %s: write one object per line, as "+
				"`%s` does", s.Path, wording.Clip(key, maxShown), wording.Command("jq", "-c", fmt.Sprintf(".[%q][]", key)))
		}
	}
	return nil
}

// list reads a JSON list and calls the function visit with each object and its number, from 1.
func (s *Source) list(input io.Reader, visit func(object map[string]any, number int) error) error {
	bounded := &rowReader{Reader: input, bytesLeft: maxLine}
	dec := json.NewDecoder(bounded)
	dec.UseNumber()
	number := 0
	broken := func(err error) error {
		if errors.Is(err, errLongRow) {
			err = fmt.Errorf("it has over %d bytes", maxLine)
		}
		var other *json.UnmarshalTypeError
		if errors.As(err, &other) {
			err = fmt.Errorf("it has the type %s", other.Value)
		}
		return userr.New(userr.BadInput, "%s: item %d of the list is not a JSON object (%w): write one object per line; for a "+
			"list of texts of one style, `jq -r '.[]'` writes a text file", s.Path, number+1, err)
	}
	if _, err := dec.Token(); err != nil { // the opening bracket of the list
		return broken(err)
	}
	for dec.More() {
		bounded.bytesLeft = maxLine
		var object map[string]any
		if err := dec.Decode(&object); err != nil {
			return broken(err)
		}
		if object == nil {
			return broken(errors.New("it is null"))
		}
		number++
		if err := visit(object, number); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return broken(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return userr.New(userr.BadInput, "%s: something follows the list: remove it", s.Path)
	}
	return nil
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

// value returns the string, number or truth value of a key as text, or "" if the value is null or
// missing.
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
