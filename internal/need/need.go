// Package need stops a build without libtorch with a sentence that says what to do, in place of a
// missing header. internal/kernels imports it for this effect. It is a package of its own so that
// it is compiled before gotch.
package need

// The check is in need.cpp, because CGO_CXXFLAGS, which name the headers of libtorch, are passed to
// C++ files only.

import "C"
