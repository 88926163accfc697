// Package plan lays out the stages that an experiment needs as a graph without duplicates. A Stage
// is a kind, its settings and its inputs; its identity is the hash of all that determines its
// result, so that equal stages are one stage for a whole sweep and for all later ones. New reads
// and hashes the data and says what is wrong with them; nothing runs and nothing is written.
package plan
