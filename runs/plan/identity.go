package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	jsoncanonicalizer "github.com/gowebpki/jcs"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// identities computes the identities of stages. Many stages of a large sweep have equal settings,
// and identities computes the canonical JSON of equal settings only once.
type identities struct {
	settings map[string][]byte // output of encoding/json -> canonical JSON
	known    map[any][]byte    // comparable settings -> canonical JSON
	text     []byte            // a buffer for the text to hash
}

// identity is the sha256 that identifies a stage.
type identity [sha256.Size]byte

func (i identity) String() string { return hex.EncodeToString(i[:]) }

func newIdentities() identities {
	return identities{settings: map[string][]byte{}, known: map[any][]byte{}}
}

// canonical returns settings as canonical JSON.
func (c *identities) canonical(settings any) ([]byte, error) {
	// No settings contain an interface, so values of a comparable type can always be map keys.
	comparable := settings != nil && reflect.TypeOf(settings).Comparable()
	if comparable {
		if text, ok := c.known[settings]; ok {
			return text, nil
		}
	}
	written, err := json.Marshal(settings)
	if err != nil {
		return nil, err
	}
	text, ok := c.settings[string(written)]
	if !ok {
		if text, err = jsoncanonicalizer.Transform(written); err != nil {
			return nil, err
		}
		c.settings[string(written)] = text
	}
	if comparable {
		c.known[settings] = text
	}
	return text, nil
}

// The method "of" returns the identity of a stage, the sha256 of the canonical JSON (RFC 8785) of
// everything that determines its result: {"inputs": {name: identity}, "settings": settings,
// "stage": name, "version": version}. It also returns the settings as canonical JSON.
func (c *identities) of(
	name stage.Name, settings any, inputs map[string]*Stage,
) (id identity, canonical []byte, err error) {
	if canonical, err = c.canonical(settings); err != nil {
		return identity{}, nil, fmt.Errorf("identifying a %s stage: %w", name, err)
	}
	names := make([]string, 0, 16)
	for input := range inputs {
		names = append(names, input)
	}
	slices.Sort(names)
	text := append(c.text[:0], `{"inputs":{`...)
	for i, input := range names {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, '"'), input...) // needs no escapes: package stages gives inputs plain ASCII names
		text = append(append(append(text, `":"`...), inputs[input].ID...), '"')
	}
	text = append(append(append(text, `},"settings":`...), canonical...), `,"stage":"`...)
	text = append(append(text, name...), `","version":`...)
	text = append(strconv.AppendInt(text, int64(stages.Version(name)), 10), '}')
	c.text = text
	return sha256.Sum256(text), canonical, nil
}

// Canonical returns v as RFC 8785 JSON, so that identities can be computed in any language.
func Canonical(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsoncanonicalizer.Transform(text)
}
