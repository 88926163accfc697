package workspace

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/runs/stage"
)

// Differing describes each stage by its label and by the settings in which its kind differs here.
func Differing(kept []Kept) []string {
	flat := make([]map[string]string, len(kept))
	values := map[stage.Kind]map[string]map[string]bool{}
	for i, k := range kept {
		if k.Record == nil {
			continue
		}
		flat[i] = map[string]string{}
		var settings any
		_ = json.Unmarshal(k.Record.Settings, &settings) // a whole record is JSON
		flatten("", settings, flat[i])
		if values[k.Kind] == nil {
			values[k.Kind] = map[string]map[string]bool{}
		}
		for key, v := range flat[i] {
			if values[k.Kind][key] == nil {
				values[k.Kind][key] = map[string]bool{}
			}
			values[k.Kind][key][v] = true
		}
	}
	out := make([]string, len(kept))
	for i, k := range kept {
		if k.Record == nil {
			out[i] = "its record is damaged"
			continue
		}
		var parts []string
		if k.Record.Label != "" {
			parts = append(parts, k.Record.Label)
		}
		for _, key := range slices.Sorted(maps.Keys(flat[i])) {
			if part := key + " " + wording.Clip(flat[i][key], 16); len(values[k.Kind][key]) > 1 &&
				!strings.Contains(k.Record.Label, part) {
				parts = append(parts, part)
			}
		}
		if out[i] = wording.Clip(strings.Join(parts, ", "), 80); out[i] == "" {
			out[i] = "-"
		}
	}
	return out
}

// flatten writes the leaves of a JSON value by their dotted keys.
func flatten(key string, v any, to map[string]string) {
	if fields, ok := v.(map[string]any); ok {
		for name, field := range fields {
			flatten(strings.TrimPrefix(key+"."+name, "."), field, to)
		}
		return
	}
	if text, ok := v.(string); ok {
		to[key] = text
		return
	}
	text, _ := json.Marshal(v) // it was JSON
	to[key] = string(text)
}
