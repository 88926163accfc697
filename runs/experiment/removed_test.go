package experiment

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRemovedKeys: each key of an earlier version gets one sentence that says why it is gone and
// what to do, wherever the key is in the file.
func TestRemovedKeys(t *testing.T) {
	const head = "[datasets.d]\ndir = \"d\"\n"
	for path, why := range removedKeys {
		if !strings.Contains(why, ": ") {
			t.Errorf("%s: %q does not say what to do, after a colon", path, why)
		}
		table, key, ofTable := strings.Cut(path, ".")
		if !ofTable {
			key = "anything"
		}
		if table == "*" {
			table = "rater"
		}
		texts := []string{
			fmt.Sprintf("%s[%s]\n%s = 1\n", head, table, key), fmt.Sprintf("%s[datasets.d.%s]\n%s = 1\n", head, table, key),
			fmt.Sprintf("%s[variants.v.%s]\n%s = 1\n", head, table, key),
		}
		// Only the first text is valid for keys of the whole experiment: the keys of [report] and
		// of tables that are not in Settings.
		if ofTable && (table == "report" || !slices.Contains(tables, table)) {
			texts = texts[:1]
		}
		if table == "datasets" {
			texts = []string{head + key + " = 1\n"}
		}
		for _, text := range texts {
			_, err := parseExperiment("e.toml", "/e.toml", text, nil)
			if err == nil || !strings.HasSuffix(err.Error(), "is gone since 0.1.0: "+why) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s in\n%s\n%v", path, text, err)
			}
		}
	}
}
