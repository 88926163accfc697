// Package experiment reads an experiment file: text to checked settings. Load refuses what is wrong
// with file, line and key; Experiment.Points spreads the sweep axes, the variants and the seeds
// into points, each with all its settings. The structs of settings.go and its neighbours are the
// schema: their comments are the text of docs/settings.md.
package experiment

// Trainings are the stages that lead a Slurm task.
var Trainings = []string{"classifier", "guide", "divlstm", "smlm", "smlm-g", "smlm-ft", "lm"}
