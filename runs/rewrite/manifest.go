// Package packing puts the trained models that rewrite sentences into one file, to hand on: a ZIP
// archive of stored files that holds the folders of their stages, how they are used, and what says
// that all of it is whole. Nothing of the training text is in it but the words of the vocabulary
// and counts of n-grams.
package rewrite

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

const (
	formatName    = "smlm-exp model"
	formatVersion = 2

	manifestName = "manifest.json"
	noticeName   = "NOTICE.txt"
	sharesName   = "shares/" + stages.SharesFile
)

// Manifest is manifest.json: what is in a packed model and how it is used.
type Manifest struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Program string `json:"program"` // version that packed it
	Commit  string `json:"commit,omitempty"`

	Name        string                     `json:"name"` // "smlm-ft on demo, ..."
	Labels      [2]string                  `json:"labels"`
	Attribution stages.AttributionSettings `json:"attribution"`
	Mask        stages.MaskSettings        `json:"mask"`
	Settings    stages.TransferSettings    `json:"settings"`
	Draw        recipe.Guided              `json:"draw"` // of candidates

	Stages map[string]Stage      `json:"stages"` // by what they are to the models: vocab, divlstm, model, guide, fluency
	Files  map[string]stage.File `json:"files"`  // all but manifest.json, by path
	Sum    string                `json:"sum"`    // sha256 of the manifest's JSON without it
}

// Stage names a stage's folder.
type Stage struct {
	Kind stage.Kind `json:"kind"`
	ID   string     `json:"id"`
}

func (s Stage) dir() string { return path.Join("stages", string(s.Kind), s.ID) }

// sumOf returns the sum that a manifest should have.
func sumOf(m Manifest) (string, error) {
	m.Sum = ""
	text, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("writing the manifest: %w", err)
	}
	return files.Sum(text), nil
}

var (
	identity = regexp.MustCompile("^[0-9a-f]{64}$")
	plain    = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)
)

// mostBytes bounds what a packed model may come to.
const mostBytes = 64 << 30

// wrong says what is wrong with a manifest, "" where it can be used by this program.
func (m *Manifest) wrong() string {
	switch sum, err := sumOf(*m); {
	case m.Format != formatName:
		return "it is no packed model"
	case m.Version != formatVersion:
		return fmt.Sprintf("it is of format %d and this program knows format %d: use the smlm-exp that packed it",
			m.Version, formatVersion)
	case err != nil || m.Sum != sum:
		return "its manifest is not as it was written"
	}
	dirs := []string{}
	for name, s := range m.Stages {
		if !slices.Contains(stages.Names(), s.Kind) || !identity.MatchString(s.ID) || !plain.MatchString(name) {
			return fmt.Sprintf("its stage %.40q is none that this program knows", name)
		}
		dirs = append(dirs, s.dir())
	}
	for _, name := range []string{"vocab", "divlstm", "model"} {
		if m.Stages[name].ID == "" {
			return "it lacks the stage " + name
		}
	}
	total := int64(0)
	for name, f := range m.Files {
		dir, base := path.Split(name)
		if name != noticeName && name != sharesName &&
			(!slices.Contains(dirs, path.Clean(dir)) || !plain.MatchString(base) || dir+base != path.Clean(name)) {
			return fmt.Sprintf("its file %.200q is in no place of a packed model", name)
		}
		if total += f.Size; f.Size < 0 || f.Size > mostBytes || total > mostBytes {
			return fmt.Sprintf("its file %.200q is said to have %d bytes", name, f.Size)
		}
	}
	return m.misused()
}
