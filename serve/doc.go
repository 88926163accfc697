// Package serve is a local page of one experiment: its runs as they go on, tables that sort, the
// trade-off of two metrics, training curves, a sentence with the scores of its words, transfer, and
// two systems sentence by sentence; or, in its place, the pages for sentences of a packed model, or
// the blind forms or sheets of a human evaluation.
//
// It listens on loopback alone and answers whoever has the token of the printed address (guard.go).
// Everything that a browser needs is in the program: no page asks another host for anything. Models
// belong to one goroutine that takes requests in turn (queue.go).
package serve
