package report

import "github.com/smlm-exp/smlm-exp/report/table"

// What tests of tables say often.
type (
	Table  = table.Table
	Row    = table.Row
	Column = table.Column
	Mark   = table.Mark
)

const (
	Plain  = table.Plain
	Best   = table.Best
	Second = table.Second
	Absent = table.Absent
)
