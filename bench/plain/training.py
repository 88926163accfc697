"""A player: a module and its optimizer."""

import torch
from torch import nn


class Player:
    """second is the player that moves after this one, the head of fine-tuning."""

    def __init__(self, case, module, second=None):
        self.module, self.clip, self.second = module, case.get("clip", 0), second
        extra = {"fused": True} if case.get("fused_adam") else {}
        self.optimizer = torch.optim.Adam(module.parameters(), lr=case["lr"], betas=(case["beta1"], case["beta2"]), **extra)

    def step(self, loss, autocast):
        self.optimizer.zero_grad()
        with autocast():
            value = loss()
        value.backward()
        if self.clip:
            nn.utils.clip_grad_norm_(self.module.parameters(), self.clip)
        self.optimizer.step()
        return value.item()
