package stages

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/atomicfile"
	"github.com/smlm-exp/smlm-exp/internal/nn"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/masking"
	"github.com/smlm-exp/smlm-exp/runs"
)

// attribution scores every word of every split once; masks for any lambda_eps follow from the file without a network.
func attribution(ctx context.Context, job *runs.Job) error {
	t, err := loadText(job)
	if err != nil {
		return err
	}
	m, err := loadDivLSTM(job.Inputs["divlstm"])
	if err != nil {
		return err
	}
	defer m.Params.Free()
	var names []string
	var tensors []*torch.Tensor
	for _, split := range corpus.Splits {
		scores, err := m.Attention(ctx, t.labelled(split).IDs, progress(job, split.String()))
		if err != nil {
			return err
		}
		for style, rows := range byStyle(t, split, scores) {
			var flat []float32
			for _, r := range rows {
				flat = append(flat, r...)
			}
			names = append(names, scoreName(split, style))
			tensors = append(tensors, torch.FromFloats(flat, int64(len(flat))))
		}
	}
	return nn.SaveTensors(filepath.Join(job.Dir, "scores.safetensors"), names, tensors)
}

func scoreName(split corpus.Split, style int) string { return fmt.Sprintf("%s.%d", split, style) }

// mask turns scores into masks by a policy.
func mask(_ context.Context, job *runs.Job) error {
	s, err := settings[runs.MaskStage](job)
	if err != nil {
		return err
	}
	d, err := dataset(job)
	if err != nil {
		return err
	}
	counts := map[string]masking.Counts{}
	for _, split := range corpus.Splits {
		for style, sentences := range d.Text[split] {
			scores, err := readScores(job.Inputs["attribution"], scoreName(split, style), sentences)
			if err != nil {
				return err
			}
			masks := masksOf(s, scores, uint64(split)*2+uint64(style))
			if err := writeMasks(job.Dir, split, style, masks); err != nil {
				return err
			}
			counts[scoreName(split, style)] = masking.Count(masks)
		}
	}
	return writeJSON(job.Dir, "counts.json", counts)
}

// masksOf applies a mask stage's policy; stream tells the parts of a data set apart in the random one.
func masksOf(s runs.MaskStage, scores [][]float32, stream uint64) [][]bool {
	rng := rand.New(rand.NewPCG(s.Seed, stream))
	masks := make([][]bool, len(scores))
	for i, row := range scores {
		masks[i] = masking.Surplus(row, s.LambdaEps)
		if s.Policy == "random" {
			masks[i] = masking.Shuffled(masks[i], rng)
		}
	}
	return masks
}

func readScores(dir, name string, sentences [][]string) ([][]float32, error) {
	n := 0
	for _, s := range sentences {
		n += len(s)
	}
	t := torch.Zeros(int64(n))
	if err := nn.LoadTensors(filepath.Join(dir, "scores.safetensors"), []string{name}, []*torch.Tensor{t}); err != nil {
		return nil, err
	}
	flat := t.Floats()
	rows := make([][]float32, len(sentences))
	for i, s := range sentences {
		rows[i], flat = flat[:len(s):len(s)], flat[len(s):]
	}
	return rows, nil
}

func maskFile(dir string, split corpus.Split, style int) string {
	return filepath.Join(dir, fmt.Sprintf("%s.%d.mask", split, style))
}

func writeMasks(dir string, split corpus.Split, style int, masks [][]bool) error {
	return atomicfile.Write(maskFile(dir, split, style), func(w io.Writer) error {
		for _, m := range masks {
			line := make([]byte, len(m)+1)
			for i, on := range m {
				line[i] = '0'
				if on {
					line[i] = '1'
				}
			}
			line[len(m)] = '\n'
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	})
}

// readMasks returns the masks of a split, style 0 then style 1, as labelled's items lie.
func readMasks(dir string, t *corpus.Dataset, split corpus.Split) ([][]bool, error) {
	var masks [][]bool
	for style, sentences := range t.Text[split] {
		path := maskFile(dir, split, style)
		raw, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(raw))
		n := 0
		for ; lines.Scan(); n++ {
			if n >= len(sentences) || len(lines.Bytes()) != len(sentences[n]) {
				return nil, fmt.Errorf("reading %q: line %d does not fit its sentence", path, n+1)
			}
			m := make([]bool, len(sentences[n]))
			for i, c := range lines.Bytes() {
				m[i] = c == '1'
			}
			masks = append(masks, m)
		}
		if n != len(sentences) {
			return nil, fmt.Errorf("reading %q: %d lines for %d sentences", path, n, len(sentences))
		}
	}
	return masks, nil
}
