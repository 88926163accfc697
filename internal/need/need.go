// Package need stops a build that has no libtorch with a sentence that says what to do, long before
// the compiler of gotch would stop it with a missing header. It holds nothing else;
// internal/kernels imports it for this effect.
package need

// The check is in need.cpp, because CGO_CXXFLAGS, which name the headers of libtorch, are passed to
// C++ files only.

import "C"
