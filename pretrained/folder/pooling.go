package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/userr"
)

// Pooling says how the states of a text's pieces become one vector.
type Pooling string

// Mean gives the mean of the states, and CLS the state of the first piece.
const (
	Mean Pooling = "" // the default, also for an encoder that is no sentence encoder
	CLS  Pooling = "cls"
)

const modulesName = "modules.json"

// module is a step of a sentence encoder of sentence-transformers.
type module struct{ Type, Path string }

// ReadPooling returns the pooling of the sentence encoder in a folder of sentence-transformers. It
// refuses sentence encoders that change the states in other ways. Errors are of kind userr.BadInput
// and name the file.
func ReadPooling(dir string) (pooling Pooling, err error) {
	path := filepath.Join(dir, modulesName)
	var modules []module
	if err := readJSON(path, maxSettings, &modules); errors.Is(err, fs.ErrNotExist) {
		names, _ := fs.Glob(os.DirFS(dir), "[0-9]_*") // the only possible error is an invalid pattern
		for _, name := range names {
			modules = append(modules, module{Type: name[len("0_"):], Path: name})
		}
	} else if err != nil {
		return "", err
	}
	for _, m := range modules {
		switch name := m.Type[strings.LastIndex(m.Type, ".")+1:]; {
		case name == "Pooling" && filepath.IsLocal(m.Path):
			if pooling, err = readPooling(filepath.Join(dir, m.Path, configFile)); err != nil {
				return "", err
			}
		case name != "Transformer" && name != "Normalize": // to normalise a vector does not change cosines
			return "", userr.New(userr.BadInput, "the sentence encoder %q has the module %.60q, which is not read: use another "+
				"encoder, or remove the module from %s and its folder, to compare the states before it", dir, m.Type, modulesName)
		}
	}
	return pooling, nil
}

// readPooling reads the settings of the module Pooling.
func readPooling(path string) (Pooling, error) {
	var settings map[string]any
	if err := readJSON(path, maxSettings, &settings); err != nil {
		return "", err
	}
	var modes []string
	for key, value := range settings {
		if mode, ok := strings.CutPrefix(key, "pooling_mode_"); ok && value == true {
			modes = append(modes, mode)
		}
	}
	if mode := settings["pooling_mode"]; mode != nil { // newer files have this key; its value may be a list
		modes = []string{strings.Trim(fmt.Sprint(mode), "[]")}
	}
	slices.Sort(modes)
	switch strings.Join(modes, " and ") {
	case "", "mean", "mean_tokens", "mean_sqrt_len_tokens": // the last vector differs from the mean only in length
		return Mean, nil
	case "cls", "cls_token":
		return CLS, nil
	}
	return "", userr.New(userr.BadInput, "%s: the pooling %.100q is not read, only mean or cls: use another encoder",
		path, strings.Join(modes, " and "))
}
