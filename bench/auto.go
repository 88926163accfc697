package main

import (
	"github.com/smlm-exp/smlm-exp/internal/precision"
	"github.com/smlm-exp/smlm-exp/internal/torch"
)

// Choice is what precision = "auto" comes to for a model of the paper's size.
type Choice struct {
	Model string `json:"model"`
	precision.Choice
}

// Auto finds those of all models; 0 threads are libtorch's own number.
func Auto(threads int) (all []Choice, err error) {
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
			all = append(all, Choice{m.Name, choice})
		}
		return nil
	})
	return all, err
}
