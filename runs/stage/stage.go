// Package stage says what a stage is: its name and definition, the job that its code is given, and
// the record that it leaves on disk. runs/stages has all of them.
package stage

// Name names a step of the study: "smlm". Stages of one name differ in identity.
type Name string

// Definition is what all stages of one name share. docs/workspace.md lists them all; a test holds
// it to this.
type Definition struct {
	Name Name
	// Version is part of every identity. Raise it when what the stage computes or writes changes:
	// all its stages, and all that build on them, then have new identities and run again.
	Version int
	Inputs  string // by name, in Markdown
	Files   string // that it writes beside stage.json, in Markdown
	// Trains says that it trains by epochs: it has a history, and curves to watch.
	Trains bool
	Run    Func
}
