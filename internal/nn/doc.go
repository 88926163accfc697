// Package nn holds what the four models share: named parameters with PyTorch's default
// initialisation, layers, Adam, safetensors checkpoints and one training loop. Names follow
// PyTorch's state dicts.
package nn
