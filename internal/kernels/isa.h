// The instructions that this package's own kernels use: what the CPU has, less what the switches of
// libtorch, oneDNN and MKL take away (ATEN_CPU_CAPABILITY, ONEDNN_MAX_CPU_ISA,
// MKL_ENABLE_INSTRUCTIONS), so that a machine capped by them computes as a lesser CPU would.
#pragma once

namespace isa {

// Baseline is SSE2, which every x86-64 has; avx2 comes with FMA, avx512 with F, BW, DQ and VL.
enum Level { baseline, avx2, avx512 };

// Asked once a process.
Level level();

// Whether products of bfloat16 pairs (avx512_bf16) are there, in the CPU and for oneDNN.
bool bf16();

} // namespace isa
