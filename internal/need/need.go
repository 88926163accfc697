// Package need makes a build without libtorch fail with an error that says what to do, instead of
// an error about a missing header. internal/kernels imports it for this effect. It is a separate
// package so that it is compiled before gotch.
package need

// The check is in need.cpp, because CGO_CXXFLAGS, which name the headers of libtorch, are passed to
// C++ files only.

import "C"
