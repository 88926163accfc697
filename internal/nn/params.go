package nn

import (
	"fmt"
	"strings"

	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Params is a model's parameters by name, in the order they were added, so that everything done
// over all of them (norms, files, updates) is done in one fixed order.
type Params struct {
	names   []string
	tensors []*torch.Tensor
	index   map[string]int
}

// NewParams returns an empty registry.
func NewParams() *Params { return &Params{index: map[string]int{}} }

// Add registers a trained parameter that takes over the memory of init.
func (p *Params) Add(name string, init *torch.Tensor) *torch.Tensor {
	if _, dup := p.index[name]; dup {
		panic(fmt.Sprintf("nn: parameter %q is added twice", name))
	}
	t := torch.Param(init)
	p.index[name] = len(p.names)
	p.names = append(p.names, name)
	p.tensors = append(p.tensors, t)
	return t
}

// Freeze keeps the parameters whose names start with one of the prefixes as they are: an optimizer
// passes them over.
func (p *Params) Freeze(prefixes ...string) {
	for i, name := range p.names {
		for _, prefix := range prefixes {
			if strings.HasPrefix(name, prefix) {
				p.tensors[i].Freeze()
			}
		}
	}
}

// All returns the parameters in order.
func (p *Params) All() []*torch.Tensor { return p.tensors }

// Names returns the names in the same order.
func (p *Params) Names() []string { return p.names }

// Count returns the number of scalars.
func (p *Params) Count() int {
	n := 0
	for _, t := range p.tensors {
		n += int(t.Numel())
	}
	return n
}

// Free releases all parameters.
func (p *Params) Free() {
	for _, t := range p.tensors {
		t.Free()
	}
}

// Snapshot returns owned copies of all parameters.
func (p *Params) Snapshot() []*torch.Tensor {
	copies := make([]*torch.Tensor, len(p.tensors))
	for i, t := range p.tensors {
		d := t.Detach()
		copies[i] = d.Copy().Own()
		d.Free() // the scope may be that of a whole training
	}
	return copies
}

// Restore sets all parameters from copies made by Snapshot.
func (p *Params) Restore(copies []*torch.Tensor) {
	for i, t := range p.tensors {
		t.Set(copies[i])
	}
}

// FirstBad returns the name of the first parameter that holds an infinite or NaN value, or "".
func (p *Params) FirstBad() string {
	for i, t := range p.tensors {
		if !t.Finite() {
			return p.names[i]
		}
	}
	return ""
}
