package main

import "github.com/smlm-exp/smlm-exp/internal/userr"

// useDevice has all models and tensors of this process made on a device: "" or "cpu", or as in "cuda:0".
func useDevice(name string) error {
	if name == "" || name == "cpu" {
		return nil
	}
	return userr.New(userr.NoTorch, "this build cannot train on %s; build it with torch.SetDevice", name)
}
