#!/usr/bin/env python3
"""Plays with a network that Gauntlet trained, in PyTorch: the move of the greatest policy logit.

    requirements: torch, numpy, safetensors
    agents.net.engine = { command = ["python3", "torch_agent.py"], options = { weights = "weights.safetensors" } }

The weights are those of an `az-cnn`: a model, or `weights.safetensors` of a training (`gauntlet export` copies one).
The file says for which game they are and which images the network reads. The agent asks Gauntlet for these images, so
that it needs no rules of the game. The positions of many games are one batch.
"""

import json
import math

import torch
from gauntlet_agent import Agent, Choice
from safetensors import safe_open
from torch import nn


class AzCnn(nn.Module):
    """Two 3 x 3 convolutions, the first padded; two fully connected layers; batch norms; two heads."""

    def __init__(self, tensors, dims):
        super().__init__()
        self.board = dims["channels"], dims["rows"], dims["columns"]
        self.convolutions = nn.Sequential(
            *convolution(tensors, "conv0", padding=1), nn.ReLU(), *convolution(tensors, "conv1", padding=0), nn.ReLU()
        )
        # Gauntlet flattens [row][column][channel], PyTorch [channel][row][column].
        inner = dims["rows"] - 2, dims["columns"] - 2, len(tensors["conv1.norm.mean"])
        wide = tensors["wide.weight"].unflatten(1, inner).permute(0, 3, 1, 2).flatten(1)
        self.full = nn.Sequential(
            linear(wide), norm(tensors, "wide", nn.BatchNorm1d), nn.ReLU(),
            linear(tensors["narrow.weight"]), norm(tensors, "narrow", nn.BatchNorm1d), nn.ReLU(),
        )  # fmt: skip
        self.policy = linear(tensors["policy.weight"], tensors["policy.bias"])
        self.value = linear(tensors["value.weight"], tensors["value.bias"])

    def forward(self, images):
        """Logits `[B, logits]` and values `[B]` of images `[B, channels * rows * columns]`."""
        features = self.full(self.convolutions(images.unflatten(1, self.board)).flatten(1))
        return self.policy(features), torch.tanh(self.value(features)).squeeze(1)


def convolution(tensors, name, padding):
    """A convolution without bias, stored as [out][row * column * in], and its batch norm."""
    weight = tensors[f"{name}.weight"].unflatten(1, (3, 3, -1)).permute(0, 3, 1, 2).contiguous()
    layer = nn.Conv2d(weight.shape[1], weight.shape[0], 3, padding=padding, bias=False)
    layer.weight.data = weight
    return layer, norm(tensors, name, nn.BatchNorm2d)


def linear(weight, bias=None):
    layer = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None)
    layer.weight.data = weight.contiguous()
    if bias is not None:
        layer.bias.data = bias
    return layer


def norm(tensors, name, kind):
    """A batch norm with the running statistics of the training."""
    layer = kind(len(tensors[f"{name}.norm.mean"]))
    layer.weight.data, layer.bias.data = tensors[f"{name}.norm.gain"], tensors[f"{name}.norm.bias"]
    layer.running_mean, layer.running_var = tensors[f"{name}.norm.mean"], tensors[f"{name}.norm.variance"]
    return layer


def load(path):
    """The network of a file, and the file's description."""
    with safe_open(path, "pt") as file:
        facts = json.loads(file.metadata()["gauntlet"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}
    if "az-cnn" not in facts["net"]:
        raise ValueError(f"{path} holds the network {next(iter(facts['net']))!r}; this agent plays with an az-cnn")
    return AzCnn(tensors, facts["dims"]["planes"]).eval(), facts


class TorchAgent(Agent):
    name = "AZ-CNN in PyTorch"
    wants = ["legal"]

    def start(self):
        torch.set_num_threads(1)
        self.network, facts = load(self.options["weights"])
        purpose = facts.get("purpose")
        if purpose is None:
            raise ValueError("the file does not say for which game its network is: use the weights of a training")
        if purpose["game"] != self.game["spec"]:
            raise ValueError(f"the network was trained for {purpose['game']}, the game is {self.game['spec']}")
        self.planes = purpose["agent"]["guided"].get("planes", {})

    def choose_all(self, positions):
        with torch.inference_mode():
            logits, values = self.network(torch.tensor([position.planes for position in positions], dtype=torch.float32))
        for position, row, value in zip(positions, logits.tolist(), values.tolist()):
            of_moves = [row[slot] for slot in position.slots]
            best = max(of_moves)
            weights = [math.exp(logit - best) for logit in of_moves]
            yield Choice(position.legal[of_moves.index(best)], value, weights)


if __name__ == "__main__":
    TorchAgent().run()
