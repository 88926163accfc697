// Package runs turns one experiment file into a study. The way of a study through its rooms, each
// of which knows only those above it in this list:
//
//   - experiment reads and checks the file and spreads its sweep axes, variants and seeds into
//     points (experiment.Load);
//   - plan lays the stages that all points need out as a graph without duplicates, named by the
//     hash of what determines them (plan.New);
//   - workspace keeps on disk what stages produce, and says which are finished (workspace.Open);
//   - runs itself runs what is missing, inputs first, so that it can be stopped at any moment
//     (Run);
//   - results gathers what finished stages measured into tables, figures and a page
//     (results.Collect).
//
// None of these imports tensors: the functions that train and score, in package stages, are handed
// to Run by the caller. docs/workspace.md describes every file a workspace holds.
package runs
