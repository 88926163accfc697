package stages

import (
	"slices"
	"testing"

	"github.com/smlm-exp/smlm-exp/corpus"
)

// TestHeadLearnsFromEveryStyle: if only one direction is rewritten, the style head still learns
// from the sentences of the other style. These sentences have no target style.
func TestHeadLearnsFromEveryStyle(t *testing.T) {
	text := corpus.Encoded{IDs: [][]int64{{9}, {10}, {11}}, Styles: []int{0, 0, 1}}
	styles := corpus.Styles{"rude", "polite"}
	settings := SMLMFTSettings{Directions: []corpus.Direction{{From: 0, To: 1}}}
	head := settings.training(text, styles)
	if !slices.Equal(head.Styles, []int{0, 0, 1}) || !slices.Equal(head.Targets, []int{1, 1, corpus.NoTarget}) {
		t.Errorf("the head sees styles %v, asked %v", head.Styles, head.Targets)
	}
	settings.Directions = nil
	if all := settings.training(text, styles); !slices.Equal(all.Targets, []int{1, 1, 0}) {
		t.Errorf("in both directions, %v are asked for", all.Targets)
	}
}
