package rewrite

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/recipe"
	"github.com/smlm-exp/smlm-exp/runs/stage"
	"github.com/smlm-exp/smlm-exp/runs/stages"
	"github.com/smlm-exp/smlm-exp/runs/workspace"
)

// most bounds numbers of settings and shapes, so that no file makes a program ask for all memory.
const most = 1 << 20

// misused says which of the settings no smlm-exp writes, "" where all are well.
func (m *Manifest) misused() string {
	s, g := &m.Settings, &m.Settings.Guided
	for name, n := range map[string]int{
		"beam": s.Beam, "max_extra": s.MaxExtra, "candidates": g.Candidates, "more_masks": g.MoreMasks,
	} {
		if n < 0 || n > most/1024 {
			return fmt.Sprintf("its setting %s is %d", name, n)
		}
	}
	if n := m.Attribution.IGSteps; n < 0 || n > 10_000 { // as [masking] has them
		return fmt.Sprintf("its setting ig_steps is %d", n)
	}
	_, shares := m.Files[sharesName]
	switch {
	case !m.Mask.Name.Known():
		return fmt.Sprintf("its masking policy %.40q is unknown", m.Mask.Name)
	case !slices.Contains(Explained(), string(m.Attribution.Method)):
		return fmt.Sprintf("its masking method %.40q is unknown", m.Attribution.Method)
	case !slices.Contains(s.Decoding.Choices(), string(s.Decoding)):
		return fmt.Sprintf("its decoding %.40q is unknown", s.Decoding)
	case (s.Decoding == recipe.GuidedDecoding) != (*g != recipe.Guided{}):
		return fmt.Sprintf("its decoding %q does not go with its settings of guided refill", s.Decoding)
	case g.AsksGuide() && m.Stages["guide"].ID == "", g.Fluency > 0 && m.Stages["fluency"].ID == "", g.Price > 0 && !shares:
		return "it lacks what its settings need"
	case m.Labels[0] == "" || m.Labels[1] == "" || m.Labels[0] == m.Labels[1]:
		return "its styles have no names"
	}
	return ""
}

// check looks at the stages below dir: that each is what the manifest says, of this program's
// version of its kind, and of a shape that fits its weights.
func (p *Pack) check(dir string) error {
	for _, name := range slices.Sorted(maps.Keys(p.Manifest.Stages)) {
		s := p.Manifest.Stages[name]
		at := filepath.Join(dir, filepath.FromSlash(s.dir()))
		r, err := stage.ReadRecord(filepath.Join(at, "stage.json"))
		switch {
		case err != nil || r.State != workspace.StateDone || r.ID != s.ID || r.Kind != s.Kind || !p.holds(s, r.Files):
			return p.bad("the record of its stage %s is not as it was written", name)
		case r.Version != stages.Version(s.Kind):
			return p.bad("its stage %s is of version %d and this program's are of version %d; use the smlm-exp that packed it, %s",
				name, r.Version, stages.Version(s.Kind), p.Manifest.Program)
		}
		if what := misshaped(at); what != "" {
			return p.bad("the shape of its stage %s, %s, does not fit its weights", name, what)
		}
	}
	return nil
}

// holds tells whether the manifest has a stage's files as its record has them, and the record.
func (p *Pack) holds(s Stage, files map[string]stage.File) bool {
	n := 0
	for name := range p.Manifest.Files {
		if strings.HasPrefix(name, s.dir()+"/") {
			n++
		}
	}
	for name, f := range files {
		if p.Manifest.Files[path.Join(s.dir(), name)] != f {
			return false
		}
	}
	return n == len(files)+1
}

// misshaped says which number of a model.json asks for more than the weights beside it can be.
func misshaped(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "model.json"))
	if err != nil {
		return "" // of a stage without one
	}
	var shape map[string]any
	weights, err := os.Stat(filepath.Join(dir, "model.safetensors"))
	if err != nil || json.Unmarshal(text, &shape) != nil {
		return "model.json"
	}
	for name, v := range shape {
		n, ok := v.(float64)
		if !ok {
			continue
		}
		// Of a table of words each has a number at least, and of a layer's matrices the smallest as
		// many as it is wide.
		if n < 0 || n > most || 4*n > float64(weights.Size()) {
			return fmt.Sprintf("%s %v", name, n)
		}
	}
	vocab, _ := shape["vocab"].(float64)
	for _, width := range []string{"dim", "embedding"} {
		if n, _ := shape[width].(float64); 4*n*vocab > float64(weights.Size()) || 4*n*n > 64*float64(weights.Size()) {
			return fmt.Sprintf("%s %v", width, n)
		}
	}
	for _, width := range []string{"ff", "hidden", "attention", "filters", "latent"} {
		if n, _ := shape[width].(float64); 4*n*n > 1024*float64(weights.Size()) {
			return fmt.Sprintf("%s %v", width, n)
		}
	}
	if n, _ := shape["layers"].(float64); 4*n*n > float64(weights.Size()) {
		return fmt.Sprintf("layers %v", n)
	}
	return ""
}
