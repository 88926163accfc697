// Package runs turns one experiment file into a study: Open reads and plans it, Study.Run runs what
// is missing, and Study.Results gathers what was measured. A study passes through these packages:
//
//   - experiment reads and checks the file and expands its sweep axes, variants and seeds into
//     points (experiment.Load).
//   - stage defines the job that a stage's code gets and the record that it leaves. stages has
//     every stage: its settings, what it reads and writes, and its code.
//   - plan builds the graph of the stages that all points need, without duplicates. A stage is
//     identified by the hash of what determines its result (plan.New).
//   - workspace keeps on disk what stages produce, and knows which stages are finished
//     (workspace.Open).
//   - this package executes the missing stages, inputs first, and can be stopped at any moment. The
//     package slurm can run them on a cluster instead. The package track shows the progress in
//     TensorBoard.
//   - results gathers what finished stages measured into tables, figures and a page
//     (results.Collect).
//
// Two more packages belong to this folder: rewrite uses the trained models for a user's own
// sentences, and doctor reports what the machine has.
//
// docs/workspace.md describes every file in a workspace.
package runs
