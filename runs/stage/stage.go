// Package stage defines what a stage is: its name and definition, the job that its code gets, and
// the record that it leaves on disk. Package runs/stages has all stages.
package stage

// Name is the name of a kind of stage, such as "smlm". Stages with the same name differ in
// identity.
type Name string

// Definition is what all stages with the same name share. A test checks that docs/workspace.md
// lists them all.
type Definition struct {
	Name Name
	// Version is part of every identity. Raise it when what the stage computes or writes changes.
	// All its stages, and everything built on them, then get new identities and run again.
	Version int
	Inputs  string // by name, in Markdown
	Files   string // that it writes besides stage.json, in Markdown
	// Trains means that it trains in epochs, so it has a history and training curves.
	Trains bool
	Run    Func
}
