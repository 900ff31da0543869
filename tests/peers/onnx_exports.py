"""Networks of PyTorch as ONNX files, with the answers of ONNX Runtime.

    python tests/peers/onnx_exports.py DIRECTORY

It writes NAME.onnx and NAME.check.safetensors for each export: the tensors `input`, `logits` and `value`. The files of
`crates/gauntlet-nets/tests/onnx` were made by it. Needs torch, onnx, onnxscript, onnxruntime, safetensors and numpy.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from safetensors.numpy import save_file
from torch import nn
from torch.nn import functional as F

POSITIONS = 7


class AzCnn(nn.Module):
    """Two convolutions without a border, and two heads."""

    def __init__(self, planes=2, board=5, actions=25, width=8):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(planes, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3), nn.BatchNorm2d(width), nn.ReLU(), nn.Flatten(),
            nn.Linear(width * (board - 2) ** 2, 24, bias=False), nn.BatchNorm1d(24), nn.ReLU(), nn.Dropout(0.3),
        )
        self.policy, self.value = nn.Linear(24, actions), nn.Linear(24, 1)

    def forward(self, x):
        x = self.trunk(x)
        return F.log_softmax(self.policy(x), dim=1), torch.tanh(self.value(x))


class Block(nn.Module):
    def __init__(self, width, squeeze=False):
        super().__init__()
        self.one, self.two = [nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2)]
        self.norms = nn.ModuleList([nn.BatchNorm2d(width) for _ in range(2)])
        self.down, self.up = (nn.Linear(width, 4), nn.Linear(4, width)) if squeeze else (None, None)

    def forward(self, x):
        y = self.norms[1](self.two(F.relu(self.norms[0](self.one(x)))))
        if self.down is not None:
            share = torch.sigmoid(self.up(F.relu(self.down(y.mean(dim=(2, 3))))))
            y = y * share[:, :, None, None]
        return F.relu(x + y)


class ResNet(nn.Module):
    """The residual network of AlphaGo Zero, small; perhaps with squeeze and excitation."""

    def __init__(self, planes=2, board=5, actions=26, width=10, blocks=2, squeeze=False, wdl=False, flat=False):
        super().__init__()
        self.shape, self.flat, self.wdl = (planes, board, board), flat, wdl
        self.first = nn.Sequential(nn.Conv2d(planes, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
        self.blocks = nn.Sequential(*[Block(width, squeeze) for _ in range(blocks)])
        self.maps = nn.Sequential(nn.Conv2d(width, 2, 1), nn.BatchNorm2d(2), nn.ReLU())
        self.policy = nn.Linear(2 * board * board, actions)
        self.one = nn.Sequential(nn.Conv2d(width, 1, 1), nn.BatchNorm2d(1), nn.ReLU())
        self.hidden, self.value = nn.Linear(board * board, 8), nn.Linear(8, 3 if wdl else 1)

    def forward(self, x):
        if self.flat:
            x = x.view(-1, *self.shape)
        x = self.blocks(self.first(x))
        logits = self.policy(self.maps(x).view(x.size(0), -1))
        value = self.value(F.relu(self.hidden(torch.flatten(self.one(x), 1))))
        return logits, value if self.wdl else torch.tanh(value).squeeze(1)


class PreActivation(nn.Module):
    """ResNet-v2: norm and ReLU before each convolution, on a board that is no square."""

    def __init__(self, planes=3, rows=4, columns=6, actions=40, width=8):
        super().__init__()
        self.first = nn.Conv2d(planes, width, 3, padding=1)
        self.norms = nn.ModuleList([nn.BatchNorm2d(width) for _ in range(5)])
        self.layers = nn.ModuleList([nn.Conv2d(width, width, 3, padding=1) for _ in range(4)])
        self.policy = nn.Sequential(nn.Conv2d(width, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(2 * rows * columns, actions))
        self.value = nn.Sequential(nn.Conv2d(width, 1, 1), nn.ReLU(), nn.Flatten(), nn.Linear(rows * columns, 1), nn.Tanh())

    def forward(self, x):
        x = self.first(x)
        for at in (0, 2):
            y = self.layers[at](F.relu(self.norms[at](x)))
            x = x + self.layers[at + 1](F.relu(self.norms[at + 1](y)))
        x = F.relu(self.norms[4](x))
        return self.policy(x), self.value(x)


class Mlp(nn.Module):
    """Full layers alone."""

    def __init__(self, inputs=50, actions=25):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(inputs, 40), nn.LeakyReLU(0.1), nn.Linear(40, 32), nn.Tanh())
        self.policy, self.value = nn.Linear(32, actions), nn.Linear(32, 1)

    def forward(self, x):
        x = self.layers(x.flatten(1))
        return self.policy(x), torch.tanh(self.value(x))


class Attention(nn.Module):
    """A transformer over the sites, with a learned place for each."""

    def __init__(self, planes=2, board=4, width=16, heads=2):
        super().__init__()
        self.heads, self.width = heads, width
        self.embed = nn.Linear(planes, width)
        self.places = nn.Parameter(torch.randn(1, board * board, width) * 0.3)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(3)])
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 32), nn.Linear(32, width)
        self.policy, self.value = nn.Linear(width, 1), nn.Linear(width, 1)

    def forward(self, x):
        x = self.embed(x.flatten(2).transpose(1, 2)) + self.places
        batch, sites, width = x.shape
        y = self.qkv(self.norms[0](x)).reshape(batch, sites, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        weights = torch.softmax(y[0] @ y[1].transpose(-2, -1) * (width // self.heads) ** -0.5, dim=-1)
        x = x + self.out((weights @ y[2]).transpose(1, 2).reshape(batch, sites, width))
        x = x + self.down(F.gelu(self.up(self.norms[1](x))))
        x = self.norms[2](x)
        return self.policy(x).squeeze(-1), torch.tanh(self.value(x.mean(dim=1)))


class Pooled(nn.Module):
    """Pools of the whole board, as in KataGo, and a policy by site with a pass."""

    def __init__(self, planes=4, width=12):
        super().__init__()
        self.first = nn.Conv2d(planes, width, 5, padding=2)
        self.norm, self.second = nn.BatchNorm2d(width), nn.Conv2d(width, width, 3, padding=1)
        self.bias, self.policy = nn.Linear(2 * width, width), nn.Conv2d(width, 1, 1)
        self.last, self.value = nn.Linear(2 * width, 1), nn.Linear(2 * width, 3)

    def pool(self, x):
        return torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)

    def forward(self, x):
        x = F.mish(self.norm(self.first(x)))
        x = F.mish(self.second(x) + self.bias(self.pool(x))[:, :, None, None])
        pooled = self.pool(x)
        return torch.cat([self.policy(x).flatten(1), self.last(pooled)], dim=1), self.value(pooled)


class Planes(nn.Module):
    """Whole planes of logits, depthwise convolutions and layer norms over channels, as in ConvNeXt."""

    def __init__(self, planes=3, width=10, kinds=3):
        super().__init__()
        self.first = nn.Conv2d(planes, width, 1)
        self.deep = nn.Conv2d(width, width, 3, padding=1, groups=width)
        self.norm, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 20), nn.Linear(20, width)
        self.policy, self.value = nn.ConvTranspose2d(width, kinds, 1), nn.Linear(width, 1)

    def forward(self, x):
        x = self.first(x)
        y = self.norm(self.deep(x).permute(0, 2, 3, 1))
        x = x + self.down(F.gelu(self.up(y), approximate="tanh")).permute(0, 3, 1, 2)
        return self.policy(x).flatten(1), torch.tanh(self.value(F.adaptive_avg_pool2d(x, 1).flatten(1)))


class Odds(nn.Module):
    """Rare layers: pools, borders, strides, groups, slices, and many functions."""

    def __init__(self, planes=4, board=6, actions=20):
        super().__init__()
        self.one = nn.Conv2d(planes, 8, 3, stride=2, padding=1, groups=2)
        self.two = nn.Conv2d(8, 8, 3, padding=2, dilation=2)
        self.policy, self.value = nn.Linear(4 * 9 + 36, actions), nn.Linear(8, 1)

    def forward(self, x):
        side = F.avg_pool2d(F.pad(x, (1, 0, 0, 1), value=0.5), 3, stride=2, padding=1)
        x = F.silu(self.one(x))
        x = F.elu(self.two(x)) * 0.5 + F.max_pool2d(x, 3, stride=1, padding=1)
        left, right = x.chunk(2, dim=1)
        gate = torch.sigmoid(left) / (1.0 + torch.exp(-right)) - F.hardswish(right).clamp(-1.0, 2.0)
        flat = torch.cat([gate.flatten(1), side[:, :, :3, :3].reshape(x.size(0), -1)], dim=1)
        value = x.flip(2)[:, :, 1].amax(dim=2) - torch.sqrt(torch.abs(x).sum(dim=(2, 3)) + 1.0)
        return self.policy(flat), torch.tanh(self.value(value))


# Name, network, shape of a position, exporter, version of the operators, frozen positions (0: open).
EXPORTS = [
    ("az-13", AzCnn, {}, (2, 5, 5), False, 13, 0),
    ("az-18-dynamo", AzCnn, {}, (2, 5, 5), True, 18, 0),
    ("res-13", ResNet, {}, (2, 5, 5), False, 13, 0),
    ("res-17", ResNet, {}, (2, 5, 5), False, 17, 0),
    ("res-20-dynamo", ResNet, {}, (2, 5, 5), True, 20, 0),
    ("res-frozen-16", ResNet, {}, (2, 5, 5), False, 16, 4),
    ("res-frozen-18-dynamo", ResNet, {}, (2, 5, 5), True, 18, 4),
    ("res-flat-15", ResNet, {"flat": True}, (50,), False, 15, 0),
    ("squeeze-14", ResNet, {"squeeze": True, "wdl": True}, (2, 5, 5), False, 14, 0),
    ("squeeze-19-dynamo", ResNet, {"squeeze": True, "wdl": True}, (2, 5, 5), True, 19, 0),
    ("v2-17", PreActivation, {}, (3, 4, 6), False, 17, 0),
    ("v2-21-dynamo", PreActivation, {}, (3, 4, 6), True, 21, 0),
    ("mlp-18-dynamo", Mlp, {}, (2, 5, 5), True, 18, 0),
    ("attention-13", Attention, {}, (2, 4, 4), False, 13, 0),
    ("attention-17", Attention, {}, (2, 4, 4), False, 17, 0),
    ("attention-20-dynamo", Attention, {}, (2, 4, 4), True, 20, 0),
    ("pooled-16", Pooled, {}, (4, 7, 7), False, 16, 0),
    ("pooled-21-dynamo", Pooled, {}, (4, 7, 7), True, 21, 0),
    ("planes-17", Planes, {}, (3, 5, 4), False, 17, 0),
    ("planes-20-dynamo", Planes, {}, (3, 5, 4), True, 20, 0),
    ("odds-14", Odds, {}, (4, 6, 6), False, 14, 0),
    ("odds-18-dynamo", Odds, {}, (4, 6, 6), True, 18, 0),
]


def trained(network):
    """The network in evaluation, with moments of its norms as after a training."""
    generator = torch.Generator().manual_seed(7)
    for module in network.modules():
        if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
            module.running_mean.copy_(torch.randn(module.num_features, generator=generator) * 0.3)
            module.running_var.copy_(torch.rand(module.num_features, generator=generator) + 0.5)
            module.weight.data.copy_(torch.rand(module.num_features, generator=generator) + 0.5)
            module.bias.data.copy_(torch.randn(module.num_features, generator=generator) * 0.2)
    return network.eval()


def export(network, shape, path, dynamo, opset, frozen):
    example = torch.zeros(frozen or 3, *shape)
    names = {"input_names": ["planes"], "output_names": ["logits", "value"], "opset_version": opset}
    if dynamo:
        axes = None if frozen else ({0: torch.export.Dim("positions")},)
        torch.onnx.export(network, (example,), path, dynamo=True, external_data=False, dynamic_shapes=axes, verbose=False, **names)
    else:
        axes = None if frozen else {name: {0: "positions"} for name in ("planes", "logits", "value")}
        torch.onnx.export(network, (example,), path, dynamo=False, dynamic_axes=axes, **names)


def tidy(path):
    """Leaves out notes of the exporter, which name places of the machine."""
    model = onnx.load(path)
    for part in [model.graph, *model.graph.node, *model.graph.initializer, *model.graph.value_info, *model.graph.input, *model.graph.output]:
        part.doc_string = ""
        del part.metadata_props[:]
    del model.metadata_props[:], model.graph.value_info[:]
    onnx.save(model, path)


def answers(path, positions, frozen):
    """The answers of ONNX Runtime, position by position, or by as many as the file wants."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    together = frozen or len(positions)
    padded = np.concatenate([positions, np.zeros((-len(positions) % together, *positions.shape[1:]), np.float32)])
    parts = [session.run(["logits", "value"], {"planes": part}) for part in np.split(padded, len(padded) // together)]
    return [np.concatenate(part)[: len(positions)] for part in zip(*parts)]


def main():
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    for name, kind, settings, shape, dynamo, opset, frozen in EXPORTS:
        torch.manual_seed(1)
        network, path = trained(kind(**settings)), str(directory / f"{name}.onnx")
        with torch.no_grad():
            export(network, shape, path, dynamo, opset, frozen)
        tidy(path)
        positions = np.random.default_rng(3).integers(-1, 2, size=(POSITIONS, *shape)).astype(np.float32)
        logits, value = answers(path, positions, frozen)
        tensors = {"input": positions, "logits": logits.reshape(POSITIONS, -1), "value": value.reshape(POSITIONS, -1)}
        save_file(tensors, str(directory / f"{name}.check.safetensors"))
        print(name, Path(path).stat().st_size, tensors["logits"].shape, tensors["value"].shape)


main()
