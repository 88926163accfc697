package intake

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// readJSON reads an object a line. Columns are the keys of the first one; others may come and go.
func readJSON(s Source, in io.Reader, each func(Row) error) error {
	var names []string
	var c columns
	return s.lines(in, func(text string, line int) error {
		object, err := decode(text)
		if without := withoutNaN(text); err != nil && without != text {
			object, err = decode(without)
		}
		if err != nil {
			return userr.New(userr.BadInput, "%s:%d: the line is not one JSON object: %.60q", s.Path, line, text)
		}
		if names == nil {
			names = slices.Sorted(maps.Keys(object))
			if c, err = s.find(names); err != nil {
				return err
			}
		}
		var wrong error
		var more []string
		row := c.row(&s, line, func(at int) string {
			if slices.Contains(c.rewrites, at) {
				if list, ok := textsIn(object[names[at]]); ok { // some have fewer rewrites than others
					more = append(more, list...)
					return ""
				}
			}
			value, err := s.value(object, names[at], line)
			wrong = cmp.Or(wrong, err)
			return value
		})
		if wrong != nil {
			return wrong
		}
		row.Rewrites = append(row.Rewrites, more...)
		row.Unreadable = lossy(text, row.Text+strings.Join(row.Rewrites, ""))
		return each(row)
	})
}

// decode reads one object.
func decode(text string) (object map[string]any, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err = dec.Decode(&object); err == nil && dec.More() {
		err = errors.New("more than an object")
	}
	return object, err
}

// withoutNaN puts null in the place of NaN, Infinity and -Infinity, which JSON does not have and
// Python writes.
func withoutNaN(line string) string {
	var out strings.Builder
	within := false // a text between quotation marks
	for i := 0; i < len(line); i++ {
		switch {
		case within && line[i] == '\\' && i+1 < len(line):
			out.WriteByte(line[i])
			i++
		case line[i] == '"':
			within = !within
		case !within:
			if name := numberless.FindString(line[i:]); name != "" {
				out.WriteString("null")
				i += len(name) - 1
				continue
			}
		}
		out.WriteByte(line[i])
	}
	return out.String()
}

var numberless = regexp.MustCompile(`^(NaN|-?Infinity)\b`)

// lossy says why a text of a line of JSON has lost letters: the decoder puts U+FFFD in the place of
// bytes that are not UTF-8 and of halves of characters.
func lossy(line, text string) error {
	switch {
	case !strings.ContainsRune(text, utf8.RuneError):
	case !utf8.ValidString(line):
		return userr.New(userr.BadInput, "the line is not UTF-8: convert the file to UTF-8")
	case halfCharacter(line):
		return userr.New(userr.BadInput, "the line contains half of a character (\\uD800 to \\uDFFF without "+
			"the other half): correct or remove the text")
	}
	return nil
}

// halfCharacter tells whether a line of JSON has an escape of a surrogate without the other.
func halfCharacter(line string) bool {
	for i := 0; i+1 < len(line); i++ {
		if line[i] != '\\' {
			continue
		}
		switch first := escaped(line[i:]); {
		case utf16.IsSurrogate(first) && utf16.DecodeRune(first, escaped(line[i+6:])) == utf8.RuneError:
			return true
		case utf16.IsSurrogate(first):
			i += 11
		default:
			i++ // the sign behind the backslash, which may be one
		}
	}
	return false
}

// escaped returns the code unit of the \uXXXX that a text begins with, 0 of others.
func escaped(text string) rune {
	if len(text) < 6 || text[:2] != `\u` {
		return 0
	}
	unit, err := strconv.ParseUint(text[2:6], 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}

// textsIn returns those of a list of texts, none of null.
func textsIn(value any) (list []string, ok bool) {
	all, ok := value.([]any)
	for _, one := range all {
		text, is := one.(string)
		if !is {
			return nil, false
		}
		if strings.TrimSpace(text) != "" {
			list = append(list, text)
		}
	}
	return list, ok || value == nil
}

// value returns a text, a number or a truth value as text.
func (s *Source) value(object map[string]any, key string, line int) (string, error) {
	switch v := object[key].(type) {
	case string:
		return v, nil
	case json.Number, bool:
		return fmt.Sprint(v), nil
	default:
		return "", userr.New(userr.BadInput, "%s:%d: %q is missing, null or NaN, or is neither text nor a "+
			"number: correct the line", s.Path,
			line, key)
	}
}
