// The instructions that our kernels use. These are the CPU's instructions, limited by the variables
// of libtorch, oneDNN and MKL (ATEN_CPU_CAPABILITY, ONEDNN_MAX_CPU_ISA, MKL_ENABLE_INSTRUCTIONS).
// These variables can make a machine compute like a CPU with fewer instructions.
#pragma once

namespace isa {

// baseline is SSE2, which every x86-64 CPU has. avx2 includes FMA. avx512 means the extensions F,
// BW, DQ and VL.
enum Level { baseline, avx2, avx512 };

// Returns the level, which is determined once per process.
Level level();

// Tells whether the CPU has products of bfloat16 pairs (avx512_bf16), and the variables allow them.
bool bf16();

} // namespace isa
