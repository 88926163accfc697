// Package buildinfo says what this binary was built of.
package machine

import "runtime/debug"

// Info is what Go wrote into the binary; what it did not is empty.
type Build struct {
	Version  string // of the main module
	Commit   string // of git, whole
	Modified bool   // the tree had changes beside it
}

// Read returns the binary's; ok is false where it has none.
func ReadBuild() (i Build, ok bool) {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return i, false
	}
	i.Version = build.Main.Version
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	return i, true
}

// Short returns the first n digits of the commit.
func (i Build) Short(n int) string { return i.Commit[:min(n, len(i.Commit))] }
