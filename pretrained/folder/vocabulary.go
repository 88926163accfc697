package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// mostPieces bounds a vocabulary and its merges; the largest that are in use have a million.
const mostPieces = 2 << 20

// vocabulary are the pieces of a model.
type vocabulary struct {
	pieces []string // by id
	ids    map[string]int
	scores []float64 // of Unigram
}

// add takes the piece of the next id.
func (v *vocabulary) add(piece string, id int) error {
	if before, twice := v.ids[piece]; twice {
		return fmt.Errorf("the piece %.40q is in its vocabulary twice, as %d and %d", piece, before, id)
	}
	if len(v.ids) == mostPieces {
		return fmt.Errorf("its vocabulary has over %d pieces", mostPieces)
	}
	v.ids[piece] = id
	v.pieces = append(v.pieces, piece)
	return nil
}

// UnmarshalJSON reads an object of pieces and ids, or Unigram's list of pieces with scores.
func (v *vocabulary) UnmarshalJSON(raw []byte) error {
	v.ids = map[string]int{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	switch raw[0] {
	case '[':
		v.scores = []float64{}
		return eachOf(dec, func() error {
			var piece string
			var score float64
			n := 0
			err := eachOf(dec, func() (err error) {
				switch n++; n {
				case 1:
					err = dec.Decode(&piece)
				case 2:
					err = dec.Decode(&score)
				default:
					err = errors.New("more")
				}
				return err
			})
			if err != nil || n != 2 {
				return fmt.Errorf("entry %d of its vocabulary is not a piece with its score", len(v.pieces))
			}
			v.scores = append(v.scores, score)
			return v.add(piece, len(v.pieces))
		})
	case '{':
		err := eachOf(dec, func() error {
			key, err := dec.Token()
			piece, _ := key.(string)
			id := 0
			if err != nil || dec.Decode(&id) != nil {
				return fmt.Errorf("the id of the piece %.40q in its vocabulary is not a whole number", piece)
			}
			return v.add(piece, id)
		})
		if err != nil {
			return err
		}
		return v.order()
	}
	return errors.New("its vocabulary is not a list")
}

// order puts the pieces in the order of their ids, which must be 0, 1 and so on.
func (v *vocabulary) order() error {
	filled := make([]bool, len(v.pieces))
	for piece, id := range v.ids {
		if id < 0 || id >= len(filled) {
			return fmt.Errorf("its vocabulary has holes: of %d pieces %.40q has the id %d", len(filled), piece, id)
		}
		if filled[id] {
			return fmt.Errorf("its vocabulary has holes: two pieces have the id %d", id)
		}
		filled[id] = true
		v.pieces[id] = piece
	}
	return nil
}

// merges are the pairs that BPE merges, of least rank first.
type merges [][2]string

// UnmarshalJSON reads pairs of pieces; old files have the two in one text, with a space between.
func (m *merges) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" { // of another model
		return nil
	}
	*m = merges{}
	dec := json.NewDecoder(bytes.NewReader(raw))
	return eachOf(dec, func() error {
		var of mergeFile
		if err := dec.Decode(&of); err != nil {
			return fmt.Errorf("its merge %d is not a pair of pieces", len(*m)+1)
		}
		if len(*m) == mostPieces {
			return fmt.Errorf("it has over %d merges", mostPieces)
		}
		*m = append(*m, of)
		return nil
	})
}

type mergeFile [2]string

// UnmarshalJSON reads both ways to write a merge.
func (f *mergeFile) UnmarshalJSON(raw []byte) error {
	if raw[0] == '"' {
		var both string
		if err := json.Unmarshal(raw, &both); err != nil {
			return err
		}
		left, right, ok := strings.Cut(both, " ")
		if !ok || strings.Contains(right, " ") {
			return errors.New("not two")
		}
		*f = mergeFile{left, right}
		return nil
	}
	var both [3]*string
	if err := json.Unmarshal(raw, &both); err != nil {
		return err
	}
	if both[0] == nil || both[1] == nil || both[2] != nil {
		return errors.New("not two")
	}
	*f = mergeFile{*both[0], *both[1]}
	return nil
}

// eachOf calls do at each element of a list, or key of an object, which it must read.
func eachOf(dec *json.Decoder, do func() error) error {
	if begin, err := dec.Token(); err != nil {
		return err
	} else if _, ok := begin.(json.Delim); !ok {
		return fmt.Errorf("%.40v is in the place of a list", begin)
	}
	for dec.More() {
		if err := do(); err != nil {
			return err
		}
	}
	_, err := dec.Token()
	return err
}
