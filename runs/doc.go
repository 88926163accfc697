// Package runs turns one experiment file into a study: package experiment reads and checks the file and spreads its
// sweep axes into points; runs lays the stages all points need out as a graph without duplicates
// (NewPlan), keeps what they produce in a workspace on disk (OpenWorkspace), runs what is missing (Plan.Run) and
// gathers the results into tables (Collect, WriteTables).
//
// The package never imports tensors: the functions that train and score are handed to Plan.Run by the caller.
// docs/workspace.md describes every file a workspace holds.
package runs
