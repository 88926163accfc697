// Package runs turns one experiment file into a study: Open reads and plans it, Study.Run runs what
// is missing, Study.Results gathers what was measured. The way of a study through the packages
// below, each of which knows only those above it in this list:
//
//   - experiment reads and checks the file and spreads its sweep axes, variants and seeds into
//     points (experiment.Load);
//   - stages has every stage: its settings, what it reads and writes, and its code;
//   - plan lays the stages that all points need out as a graph without duplicates, named by the
//     hash of what determines them (plan.New);
//   - workspace keeps on disk what stages produce, and says which are finished (workspace.Open);
//   - runs itself runs what is missing, inputs first, so that it can be stopped at any moment, or
//     has slurm do it; search decides which points go on, and track tells who watches;
//   - results gathers what finished stages measured into tables, figures and a page
//     (results.Collect).
//
// docs/workspace.md describes every file that a workspace holds.
package runs
