# Writes the models of an export (smlm-exp export) as smlm.onnx and divlstm.onnx, and compares their logits with
# PyTorch's on other words. Python must find the folder of the export: PYTHONPATH=exported python docs/export_onnx.py
import divlstm, load, onnxruntime, torch

def reads(words, written):
    ids = {"ids": load.ids_of(words.split(), **load.CODES, source=0, target=1)}
    so_far = {"written": load.ids_of(written.split(), ["<bos>"])}
    return ids | so_far if load.CONFIG["model"] == "smlm-g" else ids

example = reads("the soup was <mask> .", "the soup")
torch.onnx.export(load.smlm, tuple(example.values()), "smlm.onnx", input_names=list(example),
                  dynamic_shapes=({1: torch.export.Dim.DYNAMIC},) * len(example), dynamo=True)
torch.onnx.export(divlstm.divlstm, (example["ids"],), "divlstm.onnx", input_names=["ids"],
                  dynamic_axes={"ids": {1: "words"}}, dynamo=False)  # dynamo's LSTM takes one number of words only

def onnx(file, inputs):
    outputs = onnxruntime.InferenceSession(file).run(None, {name: ids.numpy() for name, ids in inputs.items()})
    return [torch.from_numpy(x) for x in outputs]

other = reads("the <mask> waiter was cold and <mask> .", "the waiter was")
close, ids = {"rtol": 0, "atol": 1e-4}, other["ids"]
torch.testing.assert_close(onnx("smlm.onnx", other), [load.smlm(*other.values())], **close)
torch.testing.assert_close(onnx("divlstm.onnx", {"ids": ids}), list(divlstm.divlstm(ids)), **close)
