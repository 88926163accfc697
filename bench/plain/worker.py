"""The other side of the benchmark: plain PyTorch. It reads one JSON request a line and answers with one JSON line; ../process.go describes
them. This side knows prepare and run."""

import contextlib
import json
import sys
import time
import warnings

import torch
from safetensors.torch import load_file

import classifier
import data
import divlstm
import lm
import smlm
import smlm_ft
import smlm_g
from training import Player

TASKS = {"smlm": smlm, "smlm-ft": smlm_ft, "smlm-g": smlm_g, "divlstm": divlstm, "classifier": classifier, "lm": lm}


class Worker:
    def prepare(self, request):
        """Reads the sentences and makes the model of a case, with the weights that the other side saved under the same names."""
        self.case = case = request["case"]
        torch.manual_seed(1)
        self.device = torch.device(case["device"])
        self.cuda = self.device.type == "cuda"
        if self.cuda:
            torch.backends.cudnn.allow_tf32 = False  # as on the other side
        self.task = TASKS[case["model"]].Task(case, data.read(case["data"]))
        modules = [m.to(self.device) for m in self.task.modules()]
        for module, path in zip(modules, case.get("weights") or []):
            module.load_state_dict(load_file(path))
        head = Player(dict(case, clip=0), modules[1]) if len(modules) > 1 else None
        self.player = Player(case, modules[0], head)
        self.loader = data.loader(self.task.items, case["batch_size"], self.task.collate, case["task"] == "train", self.cuda)
        self.autocast = contextlib.nullcontext
        if case["bf16"]:
            self.autocast = lambda: torch.autocast(self.device.type, dtype=torch.bfloat16)
        return {}

    def run(self, request):
        """Trains for n epochs, or rewrites all sentences n times."""
        start = time.perf_counter()
        if self.case["task"] == "train":
            answer = {"losses": [self.epoch() for _ in range(request["n"])]}
        else:
            for _ in range(request["n"]):
                answer = {"outputs": self.transfer()}
        if self.cuda:
            torch.cuda.synchronize()
        answer["seconds"] = time.perf_counter() - start
        with open("/proc/self/status", encoding="ascii") as f:
            answer["peak"] = next(int(line.split()[1]) for line in f if line.startswith("VmHWM:")) * 1024
        return answer

    def epoch(self):
        """Returns the mean of the steps' losses."""
        losses = [self.task.step(self.player, data.to(batch, self.device), self.autocast) for batch in self.loader]
        return sum(losses) / len(losses)

    @torch.no_grad()
    def transfer(self):
        self.task.model.eval()
        outputs = []
        for batch in self.loader:
            with self.autocast():
                outputs += self.task.transfer(data.to(batch, self.device))
        return outputs


def main():
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # what a library prints must not get between the answers
    worker = Worker()
    known = {"prepare": worker.prepare, "run": worker.run}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = known[request["do"]](request)
        except Exception as e:  # the parent reports it and ends the run
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
