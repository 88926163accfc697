package experiment

import (
	"cmp"
	"strings"
)

// removedKeys are the keys and tables of earlier versions: why each is gone, a colon, and what to
// do. A table stands for all of its keys. Keys of [datasets.NAME] begin with "datasets.".
var removedKeys = map[string]string{
	"search":           "nobody chose a setting with it: list the values of a key, which makes a sweep",
	"track.mlflow":     "TensorBoard is enough to watch trainings: set track.tensorboard, or read history.json and metrics.json",
	"track.experiment": "it named the study at MLflow: remove it",
}

// removed returns what to say of a key of an earlier version, or "". Data sets and variants may
// have most tables of their own.
func removed(path string) string {
	parts := strings.SplitN(path, ".", 3)
	names := []string{path}
	switch {
	case len(parts) == 3 && parts[0] == "datasets":
		names = []string{"datasets." + parts[2], parts[2]}
	case len(parts) == 3 && parts[0] == "variants":
		names = []string{parts[2]}
	}
	for _, name := range names {
		table, _, _ := strings.Cut(name, ".")
		if why := cmp.Or(removedKeys[table], removedKeys[name]); why != "" {
			return why
		}
	}
	return ""
}
