// Package slurm runs a plan's missing stages as job arrays of Slurm. What is finished stands in the
// workspace; of Slurm it only asks which tasks are still there. docs/slurm.md is for users,
// docs/decisions/023-slurm.md says why it is as it is.
//
//   - tasks.go cuts the graph of stages into tasks, and arrays.go gathers these into job arrays;
//   - submit.go hands them to sbatch, commands.go calls Slurm's commands;
//   - run.go waits and tells, earlier.go finds what an earlier run left in the queue;
//   - task.go is the other end: one task, on its node.
package slurm
