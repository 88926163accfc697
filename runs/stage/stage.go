// Package stage defines what a stage is: its name and definition, the job that its code gets, and
// the record that it leaves on disk. Package runs/stages has all stages.
package stage

import "github.com/smlm-exp/smlm-exp/report"

// Name is the name of a kind of stage, such as "smlm". Stages with the same name have different
// identities.
type Name string

// Definition declares a kind of stage: everything that the program knows about it. A test checks
// that docs/workspace.md lists all definitions.
type Definition struct {
	Name Name
	// Version is part of every identity. Raise it if the stage now computes or writes something
	// else. All stages of this kind, and everything built on them, then get new identities and run
	// again.
	Version int
	Place   int // position in the order of the study, from 0
	Scope   Scope
	// Trains means that the stage trains in epochs, so it has a history and training curves.
	Trains bool

	// Settings returns the settings that affect the result, as a struct that becomes JSON; nil:
	// nothing can be set. If an earlier stage chooses the value of a setting that is "auto", the
	// setting stays "auto" here. The code of the stage then reads the choice from that earlier
	// stage, which is one of its inputs.
	Settings func(Point) any
	Reads    func(Point) Inputs            // the stages that this stage reads; nil: none
	Sources  func(Point) map[string]string // paths outside the workspace that this stage reads, by name; nil: none
	Run      Func

	// Shown returns, for a point of the sweep, the points of this stage whose results the
	// experiment shows. nil: the stage exists only as an input of others.
	Shown func(Point) []Point
	// Beside means that other stages, such as METEOR, add metrics to this stage's scores of test
	// outputs. They do so only if this machine has the data that they need.
	Beside bool
	// Records returns the records of a finished stage for tables and figures. Records is nil if
	// there are none. It is also nil for scores, because runs/results makes their records.
	Records func(Finished) ([]*report.Record, error)

	Inputs string // the names of the inputs that Reads returns, in Markdown
	Files  string // the files that the stage writes besides stage.json, in Markdown
}

// Finished is a finished stage of a plan.
type Finished interface {
	Name() Name
	At() Point                 // the first point that needs the stage
	Any(func(Point) bool) bool // whether the condition holds for any point that needs the stage
	// Axes returns the swept settings that have the same value at all points that need the stage.
	// It leaves out the keys in "but".
	Axes(but ...string) []report.Axis
	Settings() any              // the result of Definition.Settings
	Input(name string) Finished // the input with this name, which may be unfinished (see Done)
	Done() bool
	Read(file string, v any) error // decodes a JSON file of the stage
}
