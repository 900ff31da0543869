"""SAZ, `saz` of Gauntlet, in PyTorch: the same layers, distribution of initial weights, loss and optimiser.

    network = { external = { command = ["python3", "saz.py"], settings = { hidden = 64 }, deterministic = true } }

Settings are those of `saz`: `hidden`, `layers`, `epsilon` and `dropout`. The input is one number a site, own 1 and the
opponent's -1, as `planes` has it by default. Random numbers differ from ours. Requirements: torch, numpy, and `gauntlet`
(or its file network.py beside this one).
"""

import io

import torch
from torch import nn
from torch.nn import functional

import gauntlet


class Saz(nn.Module):
    """Graph isomorphism layers, two fully connected layers, and a logit of each node.

    Ben-Assayag and El-Yaniv 2021, section 3.1. No weight depends on the size of the board.
    """

    def __init__(self, shape, hidden=512, layers=3, epsilon=0.0, dropout=0.3):
        super().__init__()
        channels, rows, columns = shape
        inputs, wide = [channels] + (layers - 1) * [hidden], 2 * hidden
        self.layers = nn.ModuleList(
            nn.Sequential(
                nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.LayerNorm(hidden), nn.ReLU(),
            )
            for width in inputs
        )  # fmt: skip
        self.full = nn.Sequential(
            nn.Linear(layers * hidden, wide, bias=False), nn.BatchNorm1d(wide), nn.ReLU(), nn.Dropout(dropout),
            nn.Linear(wide, hidden, bias=False), nn.BatchNorm1d(hidden), nn.ReLU(), nn.Dropout(dropout),
        )  # fmt: skip
        self.policy, self.score = nn.Linear(hidden, 1), nn.Linear(hidden, 1)
        self.register_buffer("adjacency", board(rows, columns, 1.0 + epsilon), persistent=False)

    def forward(self, images):
        # Nodes come first, [nodes, positions, features]: so one matrix product adds the neighbours of all positions.
        nodes = functional.pad(images.flatten(2).permute(2, 0, 1), (0, 0, 0, 0, 0, 1))
        skips = []
        for layer in self.layers:
            nodes = layer((self.adjacency @ nodes.flatten(1)).view(nodes.shape))
            skips.append(nodes)
        nodes = self.full(torch.cat(skips, -1).flatten(0, 1)).unflatten(0, nodes.shape[:2])
        return self.policy(nodes)[..., 0].T, torch.tanh(self.score(nodes)[..., 0].mean(0))


def board(rows, columns, own):
    """The matrix of a board: four neighbours of each site, and a last node joined to all, with the logit of a pass."""
    sites, matrix = torch.arange(rows * columns).view(rows, columns), own * torch.eye(rows * columns + 1)
    for one, other in (sites[1:], sites[:-1]), (sites[:, 1:], sites[:, :-1]):
        matrix[one, other] = matrix[other, one] = 1.0
    matrix[:-1, -1] = matrix[-1, :-1] = 1.0
    return matrix


class Twin(gauntlet.Network):
    """The network with Adam. Gauntlet sends the learning rate alone: the decays and epsilon are PyTorch's."""

    name = "SAZ of PyTorch"
    versions = {"torch": torch.__version__}
    device = "cpu"
    rows = (32,)

    def start(self):
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        self.seed(0)

    def seed(self, seed):
        torch.manual_seed(seed)
        self.network = Saz(self.shape, **self.settings)
        self.optimiser = torch.optim.Adam(self.network.parameters())
        products = sum(weights.numel() for weights in self.network.parameters() if weights.dim() == 2)
        self.operations = 2 * len(self.network.adjacency) * products

    def heads(self, images):
        logits, values = self.network(torch.from_numpy(images))
        return logits[:, : self.logits], values

    def evaluate(self, images):
        self.network.eval()
        with torch.inference_mode():
            return self.heads(images)

    def learn(self, batch):
        self.network.train()
        if batch.fresh:
            self.optimiser = torch.optim.Adam(self.network.parameters())
        self.optimiser.param_groups[0]["lr"] = batch.rate
        logits, values = self.heads(batch.input)
        if batch.legal_only:
            logits = logits.masked_fill(~torch.from_numpy(batch.legal), -1e9)
        policy = functional.cross_entropy(logits, torch.from_numpy(batch.policy))
        value = ((values - torch.from_numpy(batch.values)) * torch.from_numpy(batch.known)).square().mean()
        squares = sum(weights.square().sum() for weights in self.network.parameters()) if batch.l2 else 0.0
        self.optimiser.zero_grad()
        (policy + batch.value_weight * value + batch.l2 * squares).backward()
        self.optimiser.step()
        entropy = torch.distributions.Categorical(logits=logits.detach()).entropy().mean()
        return {"policy": policy.item(), "value": value.item(), "entropy": entropy.item()}

    def save(self):
        buffer = io.BytesIO()
        torch.save([self.network.state_dict(), self.optimiser.state_dict(), torch.get_rng_state()], buffer)
        return buffer.getvalue()

    def load(self, state):
        network, optimiser, random = torch.load(io.BytesIO(state))
        self.network.load_state_dict(network)
        self.optimiser.load_state_dict(optimiser)
        torch.set_rng_state(random)


if __name__ == "__main__":
    Twin().run()
