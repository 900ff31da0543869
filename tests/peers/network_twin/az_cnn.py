"""AZ-CNN, `az-cnn` of Gauntlet, in PyTorch: the same layers, initial distribution, loss and optimiser.

    network = { external = { command = ["python3", "az_cnn.py"], settings = { channels = 32, wide = 64, narrow = 32 } } }

Requirements: torch, numpy, and `gauntlet` (or its file network.py beside this one).
"""

import io

import torch
from torch import nn
from torch.nn import functional

import gauntlet


class AzCnn(nn.Module):
    """Two convolutions and two fully connected layers (Ben-Assayag and El-Yaniv 2021, appendix D)."""

    def __init__(self, shape, logits, channels=512, wide=1024, narrow=512, dropout=0.3):
        super().__init__()
        planes, rows, columns = shape
        self.convolutions = nn.Sequential(
            nn.Conv2d(planes, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, bias=False), nn.BatchNorm2d(channels), nn.ReLU(), nn.Flatten(),
        )  # fmt: skip
        self.layers = nn.Sequential(
            nn.Linear(channels * (rows - 2) * (columns - 2), wide, bias=False), nn.BatchNorm1d(wide), nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(wide, narrow, bias=False), nn.BatchNorm1d(narrow), nn.ReLU(), nn.Dropout(dropout),
        )  # fmt: skip
        self.policy, self.score = nn.Linear(narrow, logits), nn.Linear(narrow, 1)

    def forward(self, images):
        x = self.layers(self.convolutions(images))
        return self.policy(x), torch.tanh(self.score(x))[:, 0]


class Twin(gauntlet.Network):
    """The network with Adam."""

    name = "AZ-CNN of PyTorch"
    versions = {"torch": torch.__version__}
    device = "cpu"
    rows = (64,)

    def start(self):
        torch.set_num_threads(1)
        torch.use_deterministic_algorithms(True)
        self.seed(0)

    def seed(self, seed):
        torch.manual_seed(seed)
        self.network = AzCnn(self.shape, self.logits, **self.settings)
        self.optimiser = torch.optim.Adam(self.network.parameters())
        channels, sites = self.shape[0], self.shape[1] * self.shape[2]
        width = self.network.convolutions[0].out_channels
        inner = (self.shape[1] - 2) * (self.shape[2] - 2)
        dense = sum(p.numel() for name, p in self.network.named_parameters() if name.endswith("weight") and p.dim() == 2)
        self.operations = 2 * (9 * channels * width * sites + 9 * width * width * inner + dense)

    def evaluate(self, images):
        self.network.eval()
        with torch.inference_mode():
            return self.network(torch.from_numpy(images))

    def learn(self, batch):
        self.network.train()
        if batch.fresh:
            self.optimiser = torch.optim.Adam(self.network.parameters())
        self.optimiser.param_groups[0]["lr"] = batch.rate
        logits, values = self.network(torch.from_numpy(batch.input))
        policy = functional.cross_entropy(logits, torch.from_numpy(batch.policy))
        known = torch.from_numpy(batch.known)
        value = ((values - torch.from_numpy(batch.values)) * known).square().mean()
        self.optimiser.zero_grad()
        (policy + batch.value_weight * value).backward()
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
