package pretrained

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/smlm-exp/smlm-exp/internal/testkit"
	"github.com/smlm-exp/smlm-exp/internal/testkit/parity"
	"github.com/smlm-exp/smlm-exp/internal/torch"
	"github.com/smlm-exp/smlm-exp/pretrained/folder"
)

// families are those of testdata/parity/pretrained.py, with the head that each is pretrained with.
var families = map[folder.Family]Head{
	folder.BERT: Masked, folder.RoBERTa: Masked, folder.XLMR: Masked, folder.DistilBERT: Masked,
	folder.ELECTRA: Replaced,
}

// TestParity compares every family with transformers: states behind each layer, and its own head's
// logits.
func TestParity(t *testing.T) {
	for family, head := range families {
		t.Run(string(family), func(t *testing.T) {
			r := testkit.OpenRecorded(t, "pretrained_"+string(family))
			parity.OnTorch(t, func() error {
				return torch.NoGrad(func() error { return compare(r, family, head) })
			})
		})
	}
}

func compare(r *testkit.Recorded, family folder.Family, head Head) error {
	rows := r.Rows("input.ids")
	flat := []int64{}
	for _, row := range rows {
		flat = append(flat, row...)
	}
	ids := torch.FromInts(flat, int64(len(rows)), int64(len(rows[0])))
	m, err := open(string(family), 0, head)
	if err != nil {
		return err
	}
	defer m.Params.Free()
	for k := range m.Config.Layers + 1 {
		r.Near(fmt.Sprintf("expect.states.%d", k), m.Hidden(ids, k).Floats())
	}
	if head == Replaced {
		r.Near("expect.replaced", m.Replacement(ids).Floats())
	} else {
		all := make([]int64, len(flat))
		for i := range all {
			all[i] = int64(i)
		}
		r.Near("expect.logits", m.Logits(ids, torch.FromInts(all, int64(len(all)))).Floats())
	}
	return nil
}

func open(name string, layers int, head Head) (*Model, error) {
	f, err := folder.Open(filepath.Join("testdata", name))
	if err != nil {
		return nil, err
	}
	return Open(f, layers, head)
}
