"""Print what TensorBoard reads in the event files below a folder: {run: {tag: [[step, value], ...]}}."""

import json
import os
import sys

from tensorboard.backend.event_processing import event_multiplexer

folder = sys.argv[1]
multiplexer = event_multiplexer.EventMultiplexer()
multiplexer.AddRunsFromDirectory(folder)
multiplexer.Reload()
out = {}
for run in multiplexer.Runs():
    accumulator = multiplexer.GetAccumulator(run)
    scalars = accumulator.Tags()["scalars"]
    out[run] = {tag: [[e.step, e.value] for e in accumulator.Scalars(tag)] for tag in scalars}
json.dump(out, sys.stdout)
