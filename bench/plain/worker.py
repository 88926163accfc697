"""The other side of the benchmark: plain PyTorch, and the usual scorers. It reads one JSON request a line and answers with one JSON line.
Package main of ../ describes the requests (process.go); this side knows hello, prepare, run, losses, outputs, denormals and memory."""

import contextlib
import json
import sys
import time
import warnings

TASKS = {"smlm": "smlm", "smlm-ft": "smlm_ft", "smlm-g": "smlm_g", "divlstm": "divlstm", "classifier": "classifier"}


def hello(_):
    import torch

    return {"torch": torch.__version__.split("+")[0], "threads": torch.get_num_threads(), "cpu": torch.backends.cpu.get_cpu_capability()}


def memory(_):
    """Peak and present resident memory, in bytes."""
    with open("/proc/self/status", encoding="ascii") as f:
        lines = dict(line.split(":", 1) for line in f)
    return {name: int(lines[key].split()[0]) * 1024 for name, key in (("peak", "VmHWM"), ("resident", "VmRSS"))}


class Training:
    def __init__(self, case):
        import torch

        import data

        self.case = case
        if case.get("threads"):
            torch.set_num_threads(case["threads"])
        torch.manual_seed(case["seed"])
        self.device = torch.device(case.get("device") or "cpu")
        self.cuda = self.device.type == "cuda"
        if self.cuda:
            torch.set_float32_matmul_precision("high")
        self.task = __import__(TASKS[case["model"]]).Task(case, data.read(case["data"]))
        self.load()
        self.players()
        self.loader = data.loader(self.task.items, case["batch_size"], self.task.collate, case["task"] == "train", self.cuda)
        self.batches = data.forever(self.loader)
        self.autocast = contextlib.nullcontext
        if case.get("bf16"):
            self.autocast = lambda: torch.autocast(self.device.type, dtype=torch.bfloat16)
        self.to = lambda batch: data.to(batch, self.device)

    def load(self):
        """Takes weights that the other side saved, under the same names."""
        for module, path in zip(self.task.modules(), self.case.get("weights") or []):
            from safetensors.torch import load_file

            module.load_state_dict(load_file(path))

    def players(self):
        import torch

        import training

        modules = [m.to(self.device) for m in self.task.modules()]
        if self.case.get("compile"):
            # Vocabulary layer and cross-entropy included; where lengths differ every size may change, so that no batch is compiled for anew.
            self.task.loss = torch.compile(self.task.loss, dynamic=bool(self.case.get("padded")))
        head = dict(self.case, clip=0)
        second = training.Player(head, modules[1]) if len(modules) > 1 else None
        self.player = training.Player(self.case, modules[0], second)

    def steps(self, n):
        losses, words = [], []
        start = time.perf_counter()
        for _ in range(n):
            batch = next(self.batches)
            words.append(batch[0])
            losses.append(self.task.step(self.player, self.to(batch), self.autocast))
        if self.cuda:
            import torch

            torch.cuda.synchronize()
        return time.perf_counter() - start, losses, sum(self.count(ids) for ids in words)

    def count(self, ids):
        """Words of a batch: what is neither padding nor, at the end of an encoder's input, a code."""
        codes = 2 * len(ids) if self.case["model"].startswith("smlm") else 0
        return int((ids != 0).sum()) - codes

    def denormals(self):
        """Of the numbers that a step's forward pass keeps and of all gradients: how many there are, and how many are denormal."""
        import denormal

        return denormal.count(self.task.modules(), lambda: self.task.loss(self.to(next(self.batches))))

    def transfer(self):
        self.task.model.eval()
        outputs = []
        start = time.perf_counter()
        for batch in self.loader:
            outputs += self.task.transfer(batch, self.device)
        return time.perf_counter() - start, outputs


class Worker:
    def prepare(self, request):
        self.case = case = request["case"]
        if case["task"] == "score":
            import scoring

            self.score = scoring.make(case)
            return {}
        self.training = Training(case)
        return {"steps": len(self.training.loader)}

    def run(self, request):
        n = request["n"]
        if self.case["task"] == "score":
            start = time.perf_counter()
            for _ in range(n):
                value = self.score()
            return {"seconds": time.perf_counter() - start, "value": value}
        if self.case["task"] == "transfer":
            return {"seconds": sum(self.training.transfer()[0] for _ in range(n))}
        seconds, _, words = self.training.steps(n)
        return {"seconds": seconds, "words": words}

    def losses(self, request):
        """The loss at each of n steps."""
        return {"losses": self.training.steps(request["n"])[1]}

    def denormals(self, _):
        numbers, denormals = self.training.denormals()
        return {"numbers": numbers, "denormals": denormals}

    def outputs(self, _):
        return {"outputs": self.training.transfer()[1]}


def main():
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout, sys.stderr  # what a library prints must not get between the answers
    worker = Worker()
    known = {"hello": hello, "memory": memory, "prepare": worker.prepare, "run": worker.run, "losses": worker.losses, "outputs": worker.outputs}
    known["denormals"] = worker.denormals
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = known[request["do"]](request)
        except Exception as e:  # the parent reports it and ends the run
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
