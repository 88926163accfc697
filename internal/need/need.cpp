// Checks that libtorch's headers exist without reading them, so that it compiles in milliseconds.
#if !__has_include(<torch/torch.h>)
#error "libtorch is not set up: run ./install-libtorch.sh and build with 'make build' \
(or: eval \"$(./install-libtorch.sh --print-env)\")"
#endif
