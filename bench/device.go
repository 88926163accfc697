package main

import "github.com/smlm-exp/smlm-exp/internal/torch"

// useDevice has all models and tensors of this process made on a device: "" or "cpu", or as in "cuda:0".
func useDevice(name string) error {
	if name == "" {
		name = "cpu"
	}
	return torch.Run(func() error { return torch.SetDevice(name) })
}
