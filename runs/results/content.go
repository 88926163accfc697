package results

import (
	"fmt"
	"maps"
	"slices"

	"github.com/smlm-exp/smlm-exp/internal/lists"
	"github.com/smlm-exp/smlm-exp/internal/userr"
	"github.com/smlm-exp/smlm-exp/internal/wording"
	"github.com/smlm-exp/smlm-exp/metrics"
	"github.com/smlm-exp/smlm-exp/runs/plan"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
)

// The list beside has the stages that add metrics to a score. The field "key" is one of the stage's
// metrics, and the field "by" is a note for tables whose rows were computed with different data.
var beside = []struct {
	name    stage.Name
	key, by string
}{
	{stages.METEOR, "meteor", "METEOR was computed with different WordNets"},
	{stages.Embedding, "embedding_average", "The embedding metrics were computed with different word vectors"},
	{stages.BERTScore, "s_bertscore", "BERTScore and the cosines of sentence embeddings were computed with different encoders"},
}

// content adds METEOR, the embedding metrics and the metrics of a pretrained encoder to rows. For
// the outputs of a row it takes the planned stage if this stage is finished. Otherwise it takes the
// newest finished stage for the same outputs, even with another WordNet, other word vectors or
// another encoder, so that earlier results stay visible. The signature of a metric says which data
// were used.
type content struct {
	earlier map[stage.Name]map[string][]*plan.Stage // finished stages by name and plan.OfSame; newest first
	rows    map[stage.Name]*contentRows
}

func newContent() content {
	return content{map[stage.Name]map[string][]*plan.Stage{}, map[stage.Name]*contentRows{}}
}

// contentRows counts rows for one stage in the list "beside". The field "all" is the number of rows
// that should have the metrics of this stage, and the field "without" is the number of rows that
// lack them. The field "earlier" is the number of rows with an earlier result.
type contentRows struct{ all, without, earlier int }

// The method joined adds to a score the metrics of the stages that standBeside finds. It returns
// the result and these stages.
func (c *collector) joined(s *plan.Stage) (*metrics.Scores, []*plan.Stage) {
	scores, stages := c.metrics(s), c.standBeside(s)
	if len(stages) == 0 {
		return scores, nil
	}
	others := make([]*metrics.Scores, len(stages))
	for i, other := range stages {
		others[i] = c.metrics(other)
	}
	return joinScores(scores, others...), stages
}

// standBeside finds the stages that add metrics to a score, at most one of each name.
func (c *collector) standBeside(score *plan.Stage) (found []*plan.Stage) {
	for _, b := range beside {
		name := b.name
		wanted := lists.Filter(score.Content(), func(s *plan.Stage) bool { return s.Name == name })
		if len(wanted) == 0 {
			continue
		}
		if c.content.rows[name] == nil {
			c.content.rows[name] = &contentRows{}
		}
		rows := c.content.rows[name]
		rows.all++
		if i := slices.IndexFunc(wanted, func(s *plan.Stage) bool { return s.ID != "" && c.done(s) }); i >= 0 {
			found = append(found, wanted[i])
		} else if s := c.newest(wanted[0]); s != nil {
			rows.earlier++
			found = append(found, s)
		} else {
			rows.without++
		}
	}
	return found
}

// The method newest returns the newest finished stage of the workspace that has the same name as s
// and scores the same outputs, or nil.
func (c *collector) newest(s *plan.Stage) *plan.Stage {
	if c.err != nil {
		return nil
	}
	of, err := s.OfSame()
	if err != nil {
		c.err = err
		return nil
	}
	if c.content.earlier[s.Name] == nil {
		c.content.earlier[s.Name] = c.ws.BySame(s.Name)
	}
	for _, found := range c.content.earlier[s.Name][of] {
		if c.done(found) {
			return found
		}
	}
	return nil
}

// lacking says why a metric is missing: either this machine lacks the data for it, or no run has
// computed the metric yet.
func (c *collector) lacking(name stage.Name) string {
	what, here, lacks := "METEOR is", c.plan.WordNet.Dir != "", "WordNet is not on this machine. Install it (Debian: "+
		"wordnet-base) or name its folder with the key wordnet, then run again."
	switch name {
	case stages.BERTScore:
		what, here = "BERTScore and the cosines of sentence embeddings are", !c.lacksEncoder()
		lacks = "the folder that metrics.encoder names cannot be read on this machine. Name one that can, then run again."
	case stages.Embedding:
		what, here = "The embedding metrics are", !slices.ContainsFunc(c.plan.All(), func(p stage.Point) bool { return p.Data().LacksVectors() })
		lacks = "the file of word vectors that the key vectors names is not on this machine. Name one that is, or remove " +
			"the key, then run again."
	}
	if here {
		return what + " not computed yet. Run the experiment."
	}
	return what + " left out: " + lacks
}

// lacksEncoder reports whether BERTScore's encoder cannot be read on this machine.
func (c *collector) lacksEncoder() bool {
	return slices.ContainsFunc(c.plan.All(), func(p stage.Point) bool {
		folder := p.Settings.Metrics.Encoder
		return folder != "" && p.Study.Encoder(folder).Err != nil
	})
}

// contentNotes returns notes on METEOR and the other metrics that are computed separately. A note
// says that the rows of a data set were computed with, for example, different WordNets, or how many
// rows lack a metric.
func (c *collector) contentNotes() (notes []string) {
	for _, b := range beside {
		rows := c.content.rows[b.name]
		if rows == nil {
			continue
		}
		for _, dataset := range c.out.datasetsShown() {
			if rows.earlier > 0 && differentSignatures(b.key, c.out.having(b.key, dataset)) {
				notes = append(notes, b.by+" in the rows of "+dataset+": compare only rows with the same signature.")
			}
		}
		if rows.without > 0 && rows.without < rows.all {
			notes = append(notes, fmt.Sprintf("In %d of %s: %s", rows.without, wording.Count(rows.all, "row"),
				c.lacking(b.name)))
		}
	}
	return notes
}

// The method having returns the systems of a data set that have a metric.
func (r *Results) having(metric, dataset string) []*System {
	return lists.Filter(r.of(dataset), func(s *System) bool {
		_, has := s.Values[metric]
		return has
	})
}

// joinScores returns a copy of s with more metrics: it adds those metrics in the parameter "others"
// that s lacks. It changes neither parameter.
func joinScores(s *metrics.Scores, others ...*metrics.Scores) *metrics.Scores {
	out := *s
	out.Metrics, out.Signatures = add(nil, s.Metrics), add(nil, s.Signatures)
	if s.Intervals != nil {
		out.Intervals = add(nil, s.Intervals)
	}
	out.Directions = slices.Clone(s.Directions)
	for k := range out.Directions {
		out.Directions[k].Metrics = add(nil, s.Directions[k].Metrics)
	}
	for _, other := range others {
		add(out.Metrics, other.Metrics)
		add(out.Signatures, other.Signatures)
		if out.Intervals != nil {
			add(out.Intervals, other.Intervals)
		}
		for k := range min(len(out.Directions), len(other.Directions)) {
			add(out.Directions[k].Metrics, other.Directions[k].Metrics)
		}
	}
	return &out
}

// joinSentences copies numbers from the parameter "others" into the records of the same outputs. It
// does not overwrite numbers. If "others" has more or fewer directions or outputs, joinSentences
// returns an error of kind userr.BadInput.
func joinSentences(records [][]metrics.Sentence, others ...[][]metrics.Sentence) error {
	for _, other := range others {
		if len(records) != len(other) {
			return userr.New(userr.BadInput, "outputs in %s have figures, and in %s others: score the outputs again",
				wording.Count(len(records), "direction"), wording.Count(len(other), "direction"))
		}
		for d := range records {
			if len(records[d]) != len(other[d]) {
				return userr.New(userr.BadInput, "%d outputs in direction %d have figures, and %d have others: score "+
					"the outputs again", len(records[d]), d+1, len(other[d]))
			}
			for i := range records[d] {
				add(records[d][i].Numbers, other[d][i].Numbers)
			}
		}
	}
	return nil
}

// add copies the entries of the second map into the first map and returns the first map. It does
// not overwrite existing entries. If the first map is nil, it returns a copy of the second map.
func add[M ~map[string]V, V any](to, from M) M {
	if to == nil {
		to = maps.Clone(from)
		if to == nil {
			to = M{}
		}
		return to
	}
	for key, v := range from {
		if _, has := to[key]; !has {
			to[key] = v
		}
	}
	return to
}
