package lists

import (
	"slices"
	"strconv"
	"testing"
)

func TestLists(t *testing.T) {
	list := []int{1, 2, 3}
	if got := Map(list, strconv.Itoa); !slices.Equal(got, []string{"1", "2", "3"}) {
		t.Errorf("Map: %v", got)
	}
	if got := Filter(list, func(x int) bool { return x != 2 }); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("Where: %v", got)
	}
	if got := AddOnce(list, 3, 4, 4, 1, 5); !slices.Equal(got, []int{1, 2, 3, 4, 5}) {
		t.Errorf("AddOnce: %v", got)
	}
	if !slices.Equal(list, []int{1, 2, 3}) {
		t.Errorf("the list itself was changed: %v", list)
	}
}
