// Package workload is what the benchmark has both sides do: a case (which model or task, at which
// sizes, with which recipe), the made-up sentences and system outputs it works on, and the matrix
// products of its training step, counted by the models' equations.
package main
