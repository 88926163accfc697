package torch

import "golang.org/x/sys/cpu"

// HasBF16 tells whether the CPU multiplies bfloat16 matrices in hardware (avx512_bf16 or AMX). Where it does not, bfloat16
// products run slower than float32 ones.
func HasBF16() bool { return cpu.X86.HasAVX512BF16 || cpu.X86.HasAMXBF16 }
