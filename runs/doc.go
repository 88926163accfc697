// Package runs turns one experiment file into a study: Open reads and plans it, Study.Run runs what
// is missing, Study.Results gathers what was measured. The way of a study through the packages
// below:
//
//   - experiment reads and checks the file and expands its sweep axes, variants and seeds into
//     points (experiment.Load);
//   - stage defines the job that a stage's code is given and the record that it leaves; stages has
//     every stage: its settings, what it reads and writes, and its code;
//   - plan lays the stages that all points need out as a graph without duplicates, named by the
//     hash of what determines them (plan.New);
//   - workspace keeps on disk what stages produce, and says which are finished (workspace.Open);
//   - runs itself runs what is missing, inputs first, so that it can be stopped at any moment, or
//     has slurm do it; track shows the progress in TensorBoard;
//   - results gathers what finished stages measured into tables, figures and a page
//     (results.Collect).
//
// Two packages stand beside this: rewrite uses the trained models for a user's own sentences, and
// doctor says what the machine has.
//
// docs/workspace.md describes every file that a workspace holds.
package runs
