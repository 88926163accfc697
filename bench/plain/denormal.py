"""Looks for denormal numbers, at which CPUs are slow: a comparison in which one side alone meets them is none."""

import torch


def of(t):
    """How many numbers a tensor has, and how many of them are denormal."""
    if t is None or not t.is_floating_point():
        return 0, 0
    size = t.detach().abs().float()
    return size.numel(), int(((size > 0) & (size < torch.finfo(torch.float32).tiny)).sum())


def count(modules, loss):
    """Over what the forward pass keeps, such as the weights of attention, the gradients that pass between modules, and those of weights."""
    found = []

    def keep(t):
        found.append(of(t))
        return t

    hooks = [
        part.register_full_backward_hook(lambda _, entering, leaving: found.extend(of(t) for t in (*entering, *leaving)))
        for module in modules
        for part in module.modules()
        if not list(part.children())
    ]
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda t: t):
        value = loss()
    value.backward()
    for hook in hooks:
        hook.remove()
    found += [of(p.grad) for module in modules for p in module.parameters()]
    return sum(n for n, _ in found), sum(d for _, d in found)
