// Package tomlvalue turns values as TOML decodes them into those of settings, and says in words
// what does not fit.
package experiment

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"github.com/smlm-exp/smlm-exp/internal/wording"
)

// MaxInteger is the largest whole number that JSON and RFC 8785 (IEEE doubles) carry without loss;
// identities would collide above it.
const MaxInteger = 1 << 53

// Convert turns a decoded TOML value into a value of type t. The second result says in words what
// is wrong, or "".
func convertValue(v any, t reflect.Type) (reflect.Value, string) {
	out := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.String:
		if s, ok := v.(string); ok {
			out.SetString(s)
			return out, ""
		}
	case reflect.Bool:
		if b, ok := v.(bool); ok {
			out.SetBool(b)
			return out, ""
		}
	case reflect.Int, reflect.Int64:
		if n, ok := v.(int64); ok {
			if n > MaxInteger || n < -MaxInteger {
				return out, fmt.Sprintf("is %d, but must be 2^53 at most", n)
			}
			out.SetInt(n)
			return out, ""
		}
	case reflect.Float64:
		f, ok := v.(float64)
		if n, whole := v.(int64); whole {
			f, ok = float64(n), true
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return out, fmt.Sprintf("is %v, but must be a finite number", f)
		} else if ok {
			out.SetFloat(f + 0) // -0 becomes 0
			return out, ""
		}
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok {
			break
		}
		out.Set(reflect.MakeSlice(t, 0, len(list)))
		for i, e := range list {
			item, wrong := convertValue(e, t.Elem())
			if wrong != "" {
				return out, fmt.Sprintf("has an entry (number %d) that %s", i+1, wrong)
			}
			out.Set(reflect.Append(out, item))
		}
		return out, ""
	}
	return out, fmt.Sprintf("is %s, but must be %s", describeValue(v), wanted(t))
}

// Describe names a decoded TOML value for a message.
func describeValue(v any) string {
	switch x := v.(type) {
	case string:
		return "the string " + strconv.Quote(wording.Clip(x, 40))
	case int64:
		return fmt.Sprintf("the whole number %d", x)
	case float64:
		return fmt.Sprintf("the number %v", x)
	case bool:
		return strconv.FormatBool(x)
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "a list of tables"
	}
	return "a date or time"
}

// wanted names the values a type takes.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	if t.Elem().Kind() == reflect.Int {
		return "a list of whole numbers"
	}
	return "a list of strings"
}

// Format writes a setting's value as tables show it.
func formatValue(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, 64)
	case reflect.String:
		return v.String()
	}
	return fmt.Sprint(v.Interface())
}
