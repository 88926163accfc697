package machine

import "testing"

func TestShort(t *testing.T) {
	for commit, want := range map[string]string{"0123456789ab": "0123456", "012": "012", "": ""} {
		if got := (Build{Commit: commit}).Short(7); got != want {
			t.Errorf("the first 7 digits of %q are %q", commit, got)
		}
	}
}

// TestRead: every binary that Go builds from a module, this test too, knows what it was built of.
func TestRead(t *testing.T) {
	if _, ok := ReadBuild(); !ok {
		t.Error("this binary has no build information")
	}
}
