"""A PyTorch network as an ONNX file that players read, with answers to compare. Needs torch, onnx and safetensors."""

from contextlib import contextmanager
from pathlib import Path


@contextmanager
def _exportable():
    """Keeps PyTorch off its fast path for attention, which no ONNX file has: it takes it without gradients."""
    import torch

    paths = getattr(torch.backends, "mha", None)
    was_fast = paths is not None and paths.get_fastpath_enabled()
    try:
        if was_fast:
            paths.set_fastpath_enabled(False)
        with torch.enable_grad():
            yield
    finally:
        if was_fast:
            paths.set_fastpath_enabled(True)


def write_onnx(network, path, shape, *, answers=16, opset=17):
    """Writes a network as `path` (`mine.onnx`), and some of its answers as `mine.check.safetensors`.

    `network` maps planes `[positions, *shape]` to logits `[positions, slots]` and a value: one number from -1 to 1, or the
    logits of win, draw and loss. `shape` is that of a position: planes, rows, columns. The inputs of the `answers` are
    random zeros and ones. `gauntlet check` and `run` compare the answers with those of the file.
    """
    import torch
    from safetensors.torch import save_file

    path, names = Path(path), ("planes", "logits", "value")
    was_training = network.training
    network.eval()
    try:
        planes = torch.randint(0, 2, (answers, *shape), generator=torch.Generator().manual_seed(0)).float()
        with torch.no_grad():
            logits, value = network(planes)
        with _exportable():
            # The older exporter: one file, an open number of positions, and no other package than onnx.
            torch.onnx.export(
                network, (planes,), str(path), dynamo=False, opset_version=opset,
                input_names=names[:1], output_names=names[1:], dynamic_axes={name: {0: "positions"} for name in names},
            )
    finally:
        network.train(was_training)
    tensors = {"input": planes, "logits": logits, "value": value.reshape(answers, -1)}
    save_file({name: tensor.float().contiguous() for name, tensor in tensors.items()}, path.with_suffix(".check.safetensors"))
