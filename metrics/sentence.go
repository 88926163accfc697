package metrics

import "github.com/smlm-exp/smlm-exp/internal/userr"

// Sentence is what one output contributes to the figures of its direction, so that they can be computed again of any choice of sentences without
// a network: Score adds these up, Intervals and Compare draw from them. nil: not known. Self-BLEU, distinct-n, the collapse columns and the
// masked share belong to a direction as a whole and are not in it.
type Sentence struct {
	From             string             `json:"from"`                        // names of the styles, as Input has them
	To               string             `json:"to"`                          //
	Line             int                `json:"line"`                        // of the output in its direction, from 1
	Right            *bool              `json:"right,omitempty"`             // whether the evaluation classifier finds the target style
	Source           BLEUCounts         `json:"s_bleu"`                      // against the source
	References       *BLEUCounts        `json:"r_bleu,omitempty"`            // against the human references
	METEOR           *float64           `json:"meteor,omitempty"`            // this and what follows as in Metrics, of one output
	RougeL           float64            `json:"rouge_l"`                     //
	CIDEr            float64            `json:"cider"`                       // weighed by all sources of the direction
	EmbeddingAverage *float64           `json:"embedding_average,omitempty"` // all three embedding metrics or none
	VectorExtrema    *float64           `json:"vector_extrema,omitempty"`    //
	GreedyMatching   *float64           `json:"greedy_matching,omitempty"`   //
	Naturalness      *float64           `json:"naturalness,omitempty"`       // by the first judge
	NaturalnessBy    map[string]float64 `json:"naturalness_by,omitempty"`    // by every judge where there are several, by its name
	LogProb          *float64           `json:"log_prob,omitempty"`          // Fluency's; natural logarithm
	Tokens           int                `json:"tokens,omitempty"`            // what LogProb sums over; 0 without it
	Unknown          *int               `json:"unknown_words,omitempty"`     // Fluency's
}

// compared is the text of a direction, counted once for all that is made of counts.
type compared struct {
	counter
	output             []counted
	source, references [][]counted
}

func (in *Input) compared() *compared {
	c := new(compared)
	c.source = c.sets([][][]string{in.Source}) // first, as SentenceCIDEr
	c.output, c.references = c.all(in.Output), c.known(in.References)
	return c
}

// sentences measures every output of a direction, checked before.
func (in *Input) sentences(c *compared, with Instruments) []Sentence {
	records := make([]Sentence, len(in.Output))
	for i := range records {
		records[i] = Sentence{From: in.From, To: in.To, Line: i + 1}
		if in.Predicted != nil {
			right := in.Predicted[i] == in.Target
			records[i].Right = &right
		}
		if in.Fluency != nil {
			records[i].LogProb, records[i].Tokens = &in.Fluency.LogProb[i], in.Fluency.Tokens[i]
			if in.Fluency.Unknown != nil {
				records[i].Unknown = &in.Fluency.Unknown[i]
			}
		}
		judge(&records[i], in.Output[i], with.Naturalness)
	}
	in.content(records, c, with)
	return records
}

// judge fills in the naturalness of one output.
func judge(s *Sentence, output []string, judges []Naturalness) {
	for k, nat := range judges {
		v := nat.Score(output)
		if k == 0 {
			s.Naturalness = &v
		}
		if len(judges) > 1 {
			if s.NaturalnessBy == nil {
				s.NaturalnessBy = map[string]float64{}
			}
			s.NaturalnessBy[nat.Name()] = v
		}
	}
}

// content fills in what compares outputs with sources and references.
func (in *Input) content(records []Sentence, c *compared, with Instruments) {
	bleu, rouge, cider := c.bleu(c.output, c.source), rougeL(c.output, c.source), c.cider(c.output, c.source)
	for i := range records {
		records[i].Source, records[i].RougeL, records[i].CIDEr = bleu[i], rouge[i], cider[i]
	}
	if len(in.References) > 0 {
		bleu := c.bleu(c.output, c.references)
		for i := range records {
			records[i].References = &bleu[i]
		}
	}
	if with.METEOR != nil {
		meteor := with.METEOR.Sentences(in.Output, in.Source)
		for i := range records {
			records[i].METEOR = &meteor[i]
		}
	}
	if with.Embedding != nil {
		average, extrema, greedy := with.Embedding.Similarities(in.Output, in.Source)
		for i := range records {
			records[i].EmbeddingAverage, records[i].VectorExtrema, records[i].GreedyMatching = &average[i], &extrema[i], &greedy[i]
		}
	}
}

// checkJudges refuses judges that the report could not keep apart.
func checkJudges(judges []Naturalness) error {
	seen := map[string]bool{}
	for _, nat := range judges {
		if seen[nat.Name()] {
			return userr.New(userr.BadInput, "two naturalness judges are both named %q; give each weights file once, and rename one of two files of the same name", nat.Name())
		}
		seen[nat.Name()] = true
	}
	return nil
}
