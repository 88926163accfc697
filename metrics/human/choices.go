package human

import "encoding/json"

// RatedChoice is what readers say of one of a ranker's choices.
type RatedChoice struct {
	Sentence
	Note   json.RawMessage // as Outputs has it
	Scores [][]int         // of Scales, by reader
}

// TallyChoices reads the sheets of a ranker's choices that came back to a folder, as TallySheets
// does, and returns the choices that one or more readers rated, in the order of the key.
func TallyChoices(dir string) (out []RatedChoice, err error) {
	var r Reading
	if err := readKey(dir, &r); err != nil {
		return nil, err
	}
	scores := make([][][][]int, len(r.Choices)) // by item, choice and scale
	for item, of := range r.Choices {
		scores[item] = make([][][]int, len(of))
	}
	for k, sheet := range r.Sheets {
		err := eachRated(dir, k+1, sheet, func(item, choice int, given []int, _ float64) {
			of := &scores[item][choice]
			if *of == nil {
				*of = make([][]int, len(Scales))
			}
			for s, score := range given {
				(*of)[s] = append((*of)[s], score)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for item, of := range scores {
		for choice, given := range of {
			if given != nil {
				out = append(out, RatedChoice{r.Items[item], r.Choices[item][choice], given})
			}
		}
	}
	return out, nil
}
