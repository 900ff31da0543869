"""Compares the deep networks in PyTorch, on one thread, with tests/benches/deep.rs in one run. Run by hand:

    requirements: torch==2.15.0 numpy==2.4.6 safetensors==0.8.0
    python tests/peers/saz_torch.py [saz-512 az-cnn-512 poly-cnn poly-cnn-laptop ...] [--rounds 3] [--bf16] [--bench FILE]

The bench writes each network, a batch and its answers; the same network is built here from that file and must answer
equally (within 1e-4) before the timing. Then both sides take turns. Both count processor seconds
(here `time.process_time`), to reduce the effect of other work on the machine. SAZ's adjacency is a
dense matrix here, convolutions are tried in both memory layouts, and the faster counts; both is eager PyTorch, with
its defaults. One step is forward, loss, backward and Adam on a batch of 64, dropout included.

With `--bf16`, PyTorch computes in bf16, too: by `torch.autocast`, and with a whole network in bf16 (evaluations alone);
the faster counts. Beside it are our evaluations in f32, bf16 and int8, and our steps in f32 and bf16.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

# Our program sets these itself; benchmarks need them, or Candle's optimisation steps take all cores.
AS_THE_PROGRAM = {
    "RAYON_NUM_THREADS": "1",
    "CANDLE_NUM_THREADS": "1",
    # Buffers stay with the process, as in `main.rs`.
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TOP_PAD_": str(64 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(1 << 30),
}

import torch
from safetensors import safe_open
from torch import nn
from torch.nn import functional

BATCH = 64
TOLERANCE = 1e-4


class Saz(nn.Module):
    """Three GIN layers with layer norms, their skip concatenation, two fully connected layers, a logit a node."""

    def __init__(self, spec, tensors):
        super().__init__()
        self.own = 1.0 + spec.get("epsilon", 0.0)
        self.gins = nn.ModuleList()
        for index in range(spec.get("layers", 3)):
            first = linear(tensors, f"gin{index}.in")
            second = linear(tensors, f"gin{index}.out")
            norm = nn.LayerNorm(second.out_features)
            fill(norm, tensors, f"gin{index}.norm")
            self.gins.append(nn.ModuleList([first, second, norm]))
        self.full = nn.ModuleList(nn.ModuleList([linear(tensors, name), batch_norm(tensors, name)]) for name in FULL)
        self.policy, self.value = linear(tensors, "policy"), linear(tensors, "value")
        self.dropout = nn.Dropout(spec.get("dropout", 0.3))
        self.register_buffer("adjacency", board_with_dummy())

    def forward(self, x):
        h, skips = x.unsqueeze(-1), []
        for first, second, norm in self.gins:
            sums = self.own * h + self.adjacency @ h
            h = functional.relu(norm(second(functional.relu(first(sums)))))
            skips.append(h)
        h = torch.cat(skips, -1).flatten(0, 1)
        for layer, norm in self.full:
            h = self.dropout(functional.relu(norm(layer(h))))
        h = h.unflatten(0, x.shape)
        return self.policy(h).squeeze(-1), torch.tanh(self.value(h).squeeze(-1).mean(1))


class AzCnn(nn.Module):
    """Two 3 x 3 convolutions, the first padded, and two fully connected layers."""

    def __init__(self, spec, tensors):
        super().__init__()
        self.side = math.isqrt(tensors["policy.weight"].shape[0])
        self.convolutions = nn.ModuleList()
        for name, padding in (("conv0", 1), ("conv1", 0)):
            weight = tensors[f"{name}.weight"].unflatten(1, (3, 3, -1)).permute(0, 3, 1, 2)
            layer = nn.Conv2d(weight.shape[1], weight.shape[0], 3, padding=padding, bias=False)
            layer.weight.data = weight.contiguous()
            self.convolutions.append(nn.ModuleList([layer, batch_norm(tensors, name, nn.BatchNorm2d)]))
        inner, channels = self.side - 2, weight.shape[0]
        wide = tensors["wide.weight"].unflatten(1, (inner, inner, channels)).permute(0, 3, 1, 2)
        tensors = {**tensors, "wide.weight": wide.flatten(1).contiguous()}
        self.full = nn.ModuleList(nn.ModuleList([linear(tensors, name), batch_norm(tensors, name)]) for name in FULL)
        self.policy, self.value = linear(tensors, "policy"), linear(tensors, "value")
        self.dropout = nn.Dropout(spec.get("dropout", 0.3))

    def forward(self, x):
        h = x.view(len(x), -1, self.side, self.side)
        for layer, norm in self.convolutions:
            h = functional.relu(norm(layer(h)))
        h = h.flatten(1)
        for layer, norm in self.full:
            h = self.dropout(functional.relu(norm(layer(h))))
        return self.policy(h), torch.tanh(self.value(h).squeeze(-1))


class PolyCnn(nn.Module):
    """Residual nets of 3 x 3 convolutions with batch norms, a value of pooled features, planes of logits."""

    def __init__(self, spec, tensors):
        super().__init__()
        self.channels = tensors["conv.weight"].shape[1] // 9
        self.first = nn.Sequential(convolution(tensors, "conv"), batch_norm(tensors, "conv", nn.BatchNorm2d))
        self.nets = nn.ModuleList(self.net(spec, tensors, f"net{at}") for at in range(spec.get("nets", 10)))
        self.policy = convolution(tensors, "policy")
        self.hidden, self.value = linear(tensors, "value.hidden"), linear(tensors, "value")

    @staticmethod
    def net(spec, tensors, name):
        layers = []
        for at in range(spec.get("convolutions", 6)):
            conv = f"{name}.conv{at}"
            layers += [nn.ReLU(), convolution(tensors, conv), batch_norm(tensors, conv, nn.BatchNorm2d)]
        return nn.Sequential(*layers)

    def forward(self, x):
        side = math.isqrt(x.shape[1] // self.channels)
        h = self.first(x.view(len(x), self.channels, side, side))
        for net in self.nets:
            h = h + net(h)
        h = functional.relu(h)
        pooled = torch.cat([h.amax((2, 3)), h.mean((2, 3))], 1)
        value = self.value(functional.relu(self.hidden(pooled)))
        return self.policy(h).flatten(1), torch.tanh(value.squeeze(1))


FULL = ("wide", "narrow")
KINDS = {"saz": Saz, "az-cnn": AzCnn, "poly-cnn": PolyCnn}


def convolution(tensors, name):
    weight, bias = tensors[f"{name}.weight"].unflatten(1, (3, 3, -1)).permute(0, 3, 1, 2), tensors.get(f"{name}.bias")
    layer = nn.Conv2d(weight.shape[1], weight.shape[0], 3, padding=1, bias=bias is not None)
    layer.weight.data = weight.contiguous()
    if bias is not None:
        layer.bias.data = bias.clone()
    return layer


def linear(tensors, name):
    weight, bias = tensors[f"{name}.weight"], tensors.get(f"{name}.bias")
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
    layer.weight.data = weight.clone()
    if bias is not None:
        layer.bias.data = bias.clone()
    return layer


def fill(norm, tensors, name):
    norm.weight.data, norm.bias.data = tensors[f"{name}.gain"].clone(), tensors[f"{name}.bias"].clone()


def batch_norm(tensors, name, kind=nn.BatchNorm1d):
    norm = kind(len(tensors[f"{name}.norm.mean"]))
    fill(norm, tensors, f"{name}.norm")
    norm.running_mean, norm.running_var = tensors[f"{name}.norm.mean"].clone(), tensors[f"{name}.norm.variance"].clone()
    return norm


def board_with_dummy(side=8):
    """Four neighbours, and a last node joined to all."""
    nodes = side * side + 1
    matrix = torch.zeros(nodes, nodes)
    for site in range(side * side):
        if (site + 1) % side:
            matrix[site, site + 1] = 1
        if site + side < side * side:
            matrix[site, site + side] = 1
        matrix[site, nodes - 1] = 1
    return matrix + matrix.T


def read(path):
    with safe_open(path, "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, json.loads(file.metadata()["gauntlet"])


def seconds(call, least=2.0):
    """Processor seconds of one call: the mean over two seconds of calls."""
    call()
    start, calls = time.process_time(), 0
    while time.process_time() - start < least:
        call()
        calls += 1
    return (time.process_time() - start) / calls


class Peer:
    """A network of the bench, built from its file."""

    def __init__(self, stem, layout):
        tensors, header = read(f"{stem}.safetensors")
        self.lesson, _ = read(f"{stem}.lesson.safetensors")
        (kind, spec), = header["net"].items()
        self.net = KINDS[kind](spec, tensors).to(memory_format=layout)
        self.optimiser = torch.optim.Adam(self.net.parameters())
        self.inputs, self.is_mixed = self.lesson["inputs"], False
        self.rounded = KINDS[kind](spec, tensors).to(memory_format=layout).eval().bfloat16()
        self.rounded_inputs = self.inputs.bfloat16()

    def check(self):
        """The largest difference between our answers and PyTorch's."""
        self.net.eval()
        with torch.inference_mode():
            logits, values = self.net(self.inputs)
        apart = (logits - self.lesson["policy_logits"]).abs().max().item()
        apart = max(apart, (values - self.lesson["values"].flatten()).abs().max().item())
        assert apart < TOLERANCE, f"the answers differ by {apart}"
        return apart

    def infer(self):
        with torch.inference_mode(), self.precision():
            self.net(self.inputs)

    def infer_in_bf16(self):
        with torch.inference_mode():
            self.rounded(self.rounded_inputs)

    def precision(self):
        return torch.autocast("cpu", torch.bfloat16, enabled=self.is_mixed)

    def step(self):
        with self.precision():
            logits, values = self.net(self.inputs)
        logits, values = logits.float(), values.float()
        policy = -(self.lesson["policy_targets"] * functional.log_softmax(logits, 1)).sum() / len(logits)
        loss = policy + functional.mse_loss(values, self.lesson["value_targets"].flatten())
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()

    def rates(self):
        """Evaluations and steps a second."""
        self.net.eval()
        evaluations = BATCH / seconds(self.infer)
        self.net.train()
        return evaluations, 1 / seconds(self.step)

    def rates_in_bf16(self):
        """The same in bf16, with the faster of two kinds of evaluations."""
        self.is_mixed = True
        evaluations, steps = self.rates()
        self.is_mixed = False
        return max(evaluations, BATCH / seconds(self.infer_in_bf16)), steps


def ours(name, shelf, bench):
    """Evaluations a second, their share of the ceiling of matrix products, and steps a second.

    Then the ratios of evaluations in bf16 and int8, and of steps in bf16."""
    command = ["cargo", "bench", "-q", "--profile", "release", "--locked", "--bench", "deep", "--"]
    command = [bench, "--bench"] if bench else command
    output = subprocess.run(
        [*command, name, f"--save={shelf}"],
        env={**os.environ, **AS_THE_PROGRAM},
        check=True,
        capture_output=True,
        text=True,
    )
    line = next(line for line in output.stdout.splitlines() if line.split()[0] == name)
    _, rate, _, _, share, steps, *ratios = line.replace("%", "").split()
    return float(rate), float(share), float(steps), [float(ratio) for ratio in ratios]


def compare_formats(name, rounds, shelf, bench):
    layouts = [torch.contiguous_format] + ([torch.channels_last] if "cnn" in name else [])
    found = []
    for _ in range(rounds):
        rate, _, steps, (bf16, int8, bf16_steps) = ours(name, shelf, bench)
        peers = [Peer(f"{shelf}/{name}", layout) for layout in layouts]
        [peer.check() for peer in peers]
        plain = [max(column) for column in zip(*(peer.rates() for peer in peers))]
        mixed = [max(column) for column in zip(*(peer.rates_in_bf16() for peer in peers))]
        evaluations, best = [rate, rate * bf16, rate * int8], max(plain[0], mixed[0])
        samples = [steps * BATCH, steps * BATCH * bf16_steps]
        theirs = [plain[1] * BATCH, mixed[1] * BATCH]
        found.append((*evaluations, plain[0], mixed[0], max(evaluations) / best, *samples, *theirs, max(samples) / max(theirs)))
    numbers = [statistics.median(column) for column in zip(*found)]
    print(f"{name:12}" + "".join(f"{number:11.2f}" if number < 100 else f"{number:11.0f}" for number in numbers), flush=True)


FORMATS = ["f32", "bf16", "int8", "torch f32", "torch bf16", "ratio", "step f32", "step bf16", "torch f32", "torch bf16", "ratio"]


def compare(name, rounds, shelf, bench):
    layouts = [torch.contiguous_format] + ([torch.channels_last] if "cnn" in name else [])
    found = []
    for _ in range(rounds):
        rate, share, steps, _ = ours(name, shelf, bench)
        peers = [Peer(f"{shelf}/{name}", layout) for layout in layouts]
        apart = max(peer.check() for peer in peers)
        theirs = [peer.rates() for peer in peers]
        evaluations, stepped = (max(column) for column in zip(*theirs))
        found.append((rate, evaluations, rate / evaluations, share, steps * BATCH, stepped * BATCH, steps / stepped))
    rate, evaluations, ratio, share, samples, their_samples, step_ratio = map(statistics.median, zip(*found))
    print(
        f"{name:12} {rate:14.0f} {evaluations:10.0f} {ratio:6.2f} {share:7.1f}%"
        f" {samples:14.1f} {their_samples:10.1f} {step_ratio:6.2f} {apart:10.1e}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("networks", nargs="*", default=["saz-512", "az-cnn-512", "saz-64"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--bench", help="the built benchmark, instead of `cargo bench`")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    print(f"PyTorch {torch.__version__}, one thread, batch {BATCH}; medians of {arguments.rounds} rounds")
    if arguments.bf16:
        print(f"{'per second':12}" + "".join(f"{word:>11}" for word in FORMATS))
        with tempfile.TemporaryDirectory() as shelf:
            for name in arguments.networks:
                compare_formats(name, arguments.rounds, Path(shelf), arguments.bench)
        return
    print(
        f"{'network':12} {'evaluations/s':>14} {'PyTorch':>10} {'ratio':>6} {'roof':>8}"
        f" {'step samples/s':>14} {'PyTorch':>10} {'ratio':>6} {'apart':>10}"
    )
    with tempfile.TemporaryDirectory() as shelf:
        for name in arguments.networks:
            compare(name, arguments.rounds, Path(shelf), arguments.bench)


if __name__ == "__main__":
    main()
