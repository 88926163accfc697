"""Print what an MLflow server has of an experiment: {identity: {"status", "params", "metrics": {key: [[step, value]]}}}."""

import json
import sys

from mlflow import MlflowClient

client = MlflowClient(sys.argv[1])
experiment = client.get_experiment_by_name(sys.argv[2])
out = {}
for run in client.search_runs([experiment.experiment_id], max_results=1000):
    history = {key: client.get_metric_history(run.info.run_id, key) for key in run.data.metrics}
    out.setdefault(run.data.tags["smlm_exp.identity"], []).append({
        "status": run.info.status,
        "params": run.data.params,
        "metrics": {key: sorted([m.step, m.value] for m in all_) for key, all_ in history.items()},
    })
json.dump(out, sys.stdout)
