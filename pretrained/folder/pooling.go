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

// Sentences holds the settings of a sentence encoder.
type Sentences struct {
	Pooling   Pooling `json:"pooling,omitempty"`
	MaxPieces int     `json:"max_seq_length,omitempty"` // maximum number of pieces of a text; 0 if there is none
}

const (
	modulesName   = "modules.json"
	sentencesName = "sentence_bert_config.json"
)

// module is a step of a sentence encoder of sentence-transformers.
type module struct{ Type, Path string }

// ReadSentences returns the settings of the sentence encoder in a folder of sentence-transformers.
// It refuses sentence encoders that change the states other than by pooling. Errors are of kind
// userr.BadInput and name the file.
func ReadSentences(dir string) (s Sentences, err error) {
	path := filepath.Join(dir, modulesName)
	var modules []module
	if err := readJSON(path, maxSettings, &modules); errors.Is(err, fs.ErrNotExist) {
		names, _ := fs.Glob(os.DirFS(dir), "[0-9]_*") // the only possible error is an invalid pattern
		for _, name := range names {
			modules = append(modules, module{Type: name[len("0_"):], Path: name})
		}
	} else if err != nil {
		return s, err
	}
	err = readJSON(filepath.Join(dir, sentencesName), maxSettings, &s)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	for _, m := range modules {
		switch name := m.Type[strings.LastIndex(m.Type, ".")+1:]; {
		case name == "Pooling" && filepath.IsLocal(m.Path):
			if s.Pooling, err = readPooling(filepath.Join(dir, m.Path, configFile)); err != nil {
				return s, err
			}
		case name != "Transformer" && name != "Normalize": // to normalise a vector does not change cosines
			return s, userr.New(userr.BadInput, "the sentence encoder %q has the module %.60q, which is not read: use another "+
				"encoder, or remove the module from %s and its folder, to compare the states before it", dir, m.Type, modulesName)
		}
	}
	return s, nil
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
