package main

import (
	"github.com/smlm-exp/smlm-exp/internal/precision"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// precisionChoice is what precision = "auto" comes to for a model of the paper's size.
type precisionChoice struct {
	Model string `json:"model"`
	precision.Choice
}

// auto finds those of all models; 0 threads are libtorch's own number.
func auto(threads int) (all []precisionChoice, err error) {
	err = torch.Run(func() error {
		if threads > 0 {
			torch.SetThreads(threads)
		}
		clock := precision.New()
		for _, m := range precision.Paper() {
			choice, err := clock.Choose(m.Parts...)
			if err != nil {
				return err
			}
			all = append(all, precisionChoice{m.Name, choice})
		}
		return nil
	})
	return all, err
}
