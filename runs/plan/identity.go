package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	jsoncanonicalizer "github.com/gowebpki/jcs"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// identity returns the identity of a stage, the sha256 of the canonical JSON of everything that
// determines its result: {"inputs": {name: identity}, "settings": settings, "stage": name,
// "version": version}.
func identity(name stage.Name, settings any, inputs map[string]*Stage) (string, error) {
	ids := map[string]string{}
	for input, of := range inputs {
		ids[input] = of.ID
	}
	text, err := Canonical(map[string]any{
		"stage": name, "version": stages.Version(name), "settings": settings, "inputs": ids,
	})
	if err != nil {
		return "", fmt.Errorf("identifying a %s stage: %w", name, err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// Canonical returns v as RFC 8785 JSON, so that identities can be computed in any language.
func Canonical(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsoncanonicalizer.Transform(text)
}
