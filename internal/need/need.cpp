// Checks that libtorch's headers exist. This file does not include them, so it compiles in
// milliseconds.
#if !__has_include(<torch/torch.h>)
#error "libtorch is not set up: run ./install-libtorch.sh and build with 'make build' \
(or: eval \"$(./install-libtorch.sh --print-env)\")"
#endif
