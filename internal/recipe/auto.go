package recipe

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// OrAuto is the value of a setting: a number, or Chosen. With Chosen, the stage "tune" chooses the
// number on dev sentences.
type OrAuto float64

// Chosen stands for a number to be chosen later. Experiment files and JSON write it as "auto". No
// number in them can be equal to it, because they have no infinite numbers.
var Chosen = OrAuto(math.Inf(-1))

// AutoText is the text of Chosen.
const AutoText = "auto"

// String implements fmt.Stringer.
func (x OrAuto) String() string {
	if x == Chosen {
		return AutoText
	}
	return strconv.FormatFloat(float64(x), 'g', -1, 64)
}

// MarshalJSON implements json.Marshaler.
func (x OrAuto) MarshalJSON() ([]byte, error) {
	if x == Chosen {
		return json.Marshal(AutoText)
	}
	return json.Marshal(float64(x))
}

// MarshalTOML implements toml.Marshaler.
func (x OrAuto) MarshalTOML() ([]byte, error) {
	if x == Chosen {
		return []byte(strconv.Quote(AutoText)), nil
	}
	text := strconv.FormatFloat(float64(x), 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0" // a float in TOML
	}
	return []byte(text), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *OrAuto) UnmarshalJSON(text []byte) error {
	if string(text) == strconv.Quote(AutoText) {
		*x = Chosen
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}
