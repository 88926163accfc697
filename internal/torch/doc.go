// Package torch is the one door to libtorch: tensors on gotch's libtch bindings and a small C++
// shim.
//
// Memory belongs to scopes. Every operation's result is owned by the innermost open scope and is
// freed when it closes, unless it was moved out; nothing waits for the garbage collector. A
// training step is one scope:
//
//	err := torch.Run(func() error {
//		return torch.Scoped(func() error {
//			loss := model.Loss(batch)
//			loss.Backward()
//			return nil
//		})
//	})
//
// All work happens on one goroutine locked to its thread (Run), because gradient mode, autocast and
// error slots of libtorch are thread-local. Operations do not return errors one by one: a failure
// unwinds to the nearest Scoped or Run, which returns it as an *OpError with the operation's name
// and the shapes of its inputs.
package torch
