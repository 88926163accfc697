// Package runs turns one experiment file into a study. Package experiment reads and checks the file and spreads its sweep axes into
// points; package plan lays the stages all points need out as a graph without duplicates; package workspace keeps what they produce
// on disk; runs runs what is missing (Run) and gathers the results into tables, figures and a page (Collect, WriteTables,
// WriteFigures, WritePage).
//
// The package never imports tensors: the functions that train and score are handed to Run by the caller.
// docs/workspace.md describes every file a workspace holds.
package runs
