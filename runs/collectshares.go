package runs

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/report/figure"
)

// sentenceParts is how many parts of a sentence the figure of masked words tells apart.
const sentenceParts = 10

// maskedShares counts where in the test sentences the masks of the first seed fall, a line a method and what else the sweep varies.
func (c *collector) maskedShares() error {
	if !slices.Contains(c.out.figures, "masked_share") {
		return nil
	}
	seen := map[*Stage]bool{}
	for i := range c.plan.Points {
		p := &c.plan.Points[i]
		for _, m := range p.Masks {
			if p.Point.Seed != c.plan.Experiment.Seeds[0] || m.Method == "none" || seen[m.Mask] || !c.ws.Done(m.Mask) {
				continue
			}
			seen[m.Mask] = true
			masks, err := c.testMasks(m.Mask)
			if err != nil {
				return err
			}
			name := strings.ReplaceAll(m.Method, "_", " ")
			for _, a := range c.axes(m.Mask) {
				name += ", " + a.Key + " " + a.Value
			}
			series := figure.ShareSeries{Name: name, Parts: figure.CountParts(masks, sentenceParts)}
			if len(c.plan.Experiment.Datasets) > 1 {
				series.Panel = p.Point.Dataset
			}
			c.out.masks = append(c.out.masks, series)
		}
	}
	return nil
}

// testMasks reads the masks of both styles of the test set.
func (c *collector) testMasks(s *Stage) ([][]bool, error) {
	var masks [][]bool
	for style := range 2 {
		name := fmt.Sprintf("%s.%d.mask", corpus.Test, style)
		lines, err := readText(filepath.Join(c.ws.StageDir(s), name))
		if err != nil {
			return nil, fmt.Errorf("reading the result of %s: %w", s.Title(), err)
		}
		for _, line := range lines {
			mask := make([]bool, len(line))
			for i := range line {
				mask[i] = line[i] == '1'
			}
			masks = append(masks, mask)
		}
	}
	return masks, nil
}
