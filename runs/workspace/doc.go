// Package workspace keeps on disk what the stages of a plan produce, each in a folder under its
// identity: present means complete. It holds the lock, the records that say how a stage ran, the
// scratch folders that an interrupted stage goes on from, and the times from which others are
// guessed. docs/workspace.md describes every file.
package workspace
