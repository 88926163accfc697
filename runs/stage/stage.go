// Package stage defines what a stage is: its name and definition, the job that its code gets, and
// the record that it leaves on disk. Package runs/stages has all stages.
package stage

import "github.com/smlm-exp/smlm-exp/report"

// Name is the name of a kind of stage, such as "smlm". Stages with the same name differ in
// identity.
type Name string

// Definition declares a kind of stage: everything that the program knows about it. A test checks
// that docs/workspace.md lists them all.
type Definition struct {
	Name Name
	// Version is part of every identity. Raise it when what the stage computes or writes changes.
	// All its stages, and everything built on them, then get new identities and run again.
	Version int
	Place   int // in the order of the study, from 0
	Scope   Scope
	// Trains means that it trains in epochs, so it has a history and training curves.
	Trains bool

	// Settings returns what changes the result, as a struct that becomes JSON; nil: nothing can be
	// set. A setting that is "auto" and chosen by an earlier stage stays "auto" here: that stage is
	// one of Inputs, and Run reads its choice.
	Settings func(Point) any
	Reads    func(Point) Inputs            // the stages that it reads; nil: none
	Sources  func(Point) map[string]string // paths outside the workspace that it reads, by name; nil: none
	Run      Func

	// Shown returns the points at which an experiment shows the result, for a point of the sweep.
	// nil: the stage exists only where others read it.
	Shown func(Point) []Point
	// Beside means that further stages add metrics to its scores of test outputs, if this machine
	// has their data.
	Beside bool
	// Records returns what tables and figures can show of a finished stage; nil: nothing, or, for
	// scores, what runs/results makes of them.
	Records func(Finished) ([]*report.Record, error)

	Inputs string // the names in Reads, in Markdown
	Files  string // that it writes besides stage.json, in Markdown
}

// Finished is a finished stage of a plan.
type Finished interface {
	Name() Name
	At() Point                        // the first point that needs it
	Any(func(Point) bool) bool        // whether a condition holds for any point that needs it
	Axes(but ...string) []report.Axis // the swept settings on which all points that need it agree
	Settings() any                    // as Definition.Settings returns them
	Input(name string) Finished       // which Done may say is not finished
	Done() bool
	Read(file string, v any) error // decodes a JSON file of the stage
}
