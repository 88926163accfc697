"""A player: a module and its optimizer."""

from torch import nn, optim


class Player:
    """second is the player that moves after this one, the head of fine-tuning."""

    def __init__(self, case, module, second=None):
        self.module, self.clip, self.second = module, case["clip"], second
        self.optimizer = optim.Adam(module.parameters(), lr=case["lr"], betas=(case["beta1"], 0.999))

    def step(self, loss, autocast):
        self.optimizer.zero_grad()
        with autocast():
            value = loss()
        value.backward()
        if self.clip:
            nn.utils.clip_grad_norm_(self.module.parameters(), self.clip)
        self.optimizer.step()
        return value.item()
