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
func identity(name stage.Name, settings any, inputs map[string]*Stage) string {
	ids := map[string]string{}
	for input, of := range inputs {
		ids[input] = of.ID
	}
	sum := sha256.Sum256(Canonical(map[string]any{
		"stage": name, "version": stages.Version(name), "settings": settings, "inputs": ids,
	}))
	return hex.EncodeToString(sum[:])
}

// Canonical returns settings as RFC 8785 JSON, so that identities can be computed in any language.
// It panics if v has something other than strings, booleans, and finite numbers, which no
// experiment file can set.
func Canonical(v any) []byte {
	text, err := json.Marshal(v)
	if err == nil {
		text, err = jsoncanonicalizer.Transform(text)
	}
	if err != nil {
		panic(fmt.Sprintf("plan: settings %v: %v", v, err))
	}
	return text
}
