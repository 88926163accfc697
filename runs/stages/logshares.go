package stages

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/smlm-exp/smlm-exp/corpus"
	"github.com/smlm-exp/smlm-exp/internal/files"
	"github.com/smlm-exp/smlm-exp/masking/policy"
	"github.com/smlm-exp/smlm-exp/smlm/guided"
)

// SharesInput names the folder of a file of shares among the inputs of a request, in the place of
// the training text and its masks.
const SharesInput = "shares"

// SharesFile holds log shares: those of style 0, then of style 1 and so on, float64, little-endian.
const SharesFile = "shares.f64"

// Shares returns guided.LogShares of the training text: by the folders of the stages vocab, prepare
// and mask, or as SharesText wrote them in the folder SharesInput.
func Shares(inputs map[string]string) (logs [][]float64, err error) {
	v, err := corpus.LoadVocab(filepath.Join(inputs["vocab"], "vocab.txt"))
	if err != nil {
		return logs, err
	}
	if dir := inputs[SharesInput]; dir != "" {
		return readShares(filepath.Join(dir, SharesFile), v.Len())
	}
	prepare := inputs["prepare"]
	var counts Counts
	if err := files.ReadJSON(filepath.Join(prepare, "counts.json"), &counts); err != nil {
		return logs, fmt.Errorf("reading the counts of the training text: %w", err)
	}
	d, err := corpus.Load(prepare, counts.Name, counts.Labels, corpus.Train)
	if err != nil {
		return logs, err
	}
	train := d.Encode(corpus.Train, v)
	if train.Masks, err = policy.ReadSplitMasks(inputs["mask"], corpus.Train, d.Text[corpus.Train]); err != nil {
		return logs, err
	}
	return guided.LogShares(train, d.Labels.N(), v.Len()), nil
}

// SharesText is the content of SharesFile.
func SharesText(logs [][]float64) []byte {
	var b bytes.Buffer
	for _, words := range logs {
		_ = binary.Write(&b, binary.LittleEndian, words) // a buffer takes everything
	}
	return b.Bytes()
}

func readShares(path string, vocab int) (logs [][]float64, err error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return logs, err
	}
	size := 8 * vocab // of a style
	if n := len(raw) / size; n < 2 || len(raw) != n*size {
		return logs, fmt.Errorf("reading %q: it has %d bytes, but two numbers for each of %d words are %d "+
			"bytes", path,
			len(raw), vocab, 2*size)
	}
	logs = make([][]float64, len(raw)/size)
	for style := range logs {
		logs[style] = make([]float64, vocab)
		if _, err := binary.Decode(raw[size*style:], binary.LittleEndian, logs[style]); err != nil {
			return logs, fmt.Errorf("reading %q: %w", path, err)
		}
		if slices.ContainsFunc(logs[style], func(p float64) bool { return !(p <= 0) }) {
			return logs, fmt.Errorf("reading %q: it contains a number that is not the logarithm of a share", path)
		}
	}
	return logs, nil
}
