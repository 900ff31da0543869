"""What the trainer and the player of alpha-zero-general share: its games, and networks of PyTorch for its classes.

Its network of Connect Four (`connect4/keras`) needs Keras. `Residual` has the same layers: residual blocks, a policy
head with one 2x2 filter, a value head with two dense layers. In Othello, the network of the authors (`othello/pytorch`)
is possible, too. The training and the prediction are those of its `NNetWrapper` of PyTorch.
"""

import os
import sys

os.environ.setdefault("TQDM_DISABLE", "1")  # no bars in the log

import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402


COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
"""The columns of the largest board. There is no I."""


def is_possible(game):
    """Whether the adapter has this game: Connect Four on 6x7, and Othello."""
    if game["kind"] == "connect-four":
        return (game["rows"], game["columns"]) == (6, 7) and game["spec"]["connect-four"].get("row", 4) == 4
    return game["kind"] == "othello" and game["columns"] <= len(COLUMNS)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = (nn.Conv2d(width, width, 3, padding=1) for _ in range(2))
        self.norms = nn.ModuleList(nn.BatchNorm2d(width) for _ in range(2))

    def forward(self, x):
        y = self.norms[0](torch.relu(self.first(x)))
        return torch.relu(x + self.norms[1](self.second(y)))


class Residual(nn.Module):
    """Logarithms of the policy, and values from -1 to 1. A board has 1 for the side to move and -1 for the other."""

    def __init__(self, rows, columns, actions, width, blocks):
        super().__init__()
        sites, hidden = rows * columns, 256
        self.body = nn.Sequential(
            nn.BatchNorm2d(1),
            nn.Conv2d(1, width, 3, padding=1),
            nn.ReLU(),
            nn.BatchNorm2d(width),
            *(Block(width) for _ in range(blocks)),
        )
        self.policy = nn.Sequential(
            nn.ZeroPad2d((0, 1, 0, 1)),
            nn.Conv2d(width, 1, 2),
            nn.BatchNorm2d(1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(sites, actions),
            nn.LogSoftmax(1),
        )
        self.value = nn.Sequential(
            nn.Conv2d(width, 1, 1),
            nn.BatchNorm2d(1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(sites, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.Linear(hidden, 1),
            nn.Tanh(),
        )

    def forward(self, boards):
        features = self.body(boards[:, None])
        return self.policy(features), self.value(features)


def framework(clone, kind, rows, columns, network, width, blocks):
    """The game of the clone, and a class of networks for its Coach: `network` is "residual" or "authors"."""
    clone = os.path.abspath(clone)
    if not os.path.isfile(os.path.join(clone, "Coach.py")):
        raise FileNotFoundError(f"{clone} is no clone of github.com/suragnair/alpha-zero-general: name it in `clone`")
    sys.path.insert(0, clone)
    torch.set_num_threads(1)
    from connect4.Connect4Game import Connect4Game
    from othello.OthelloGame import OthelloGame
    from othello.pytorch import NNet

    NNet.args.update(cuda=False, num_channels=width)
    # The clone calls `np.int` and `tostring`, which NumPy has no more. With a given board it needs no `np.int`.
    start = np.zeros((rows, columns), dtype=int)
    board = OthelloGame(rows) if kind == "othello" else Connect4Game(rows, columns, 4, start)
    board.stringRepresentation = np.ndarray.tobytes

    class Network(NNet.NNetWrapper):
        """Chooses the network of the wrapper, and tells each evaluation, each loss and the end of each training."""

        args = NNet.args
        on_evaluation = on_loss = on_trained = staticmethod(lambda *_: None)

        def __init__(self, game):
            if network == "authors":
                super().__init__(game)
                return
            self.board_x, self.board_y = game.getBoardSize()
            self.action_size = game.getActionSize()
            self.nnet = Residual(self.board_x, self.board_y, self.action_size, width, blocks)

        def predict(self, board):
            self.on_evaluation()
            policy, value = super().predict(board)
            return policy, float(value[0])

        def train(self, examples):
            super().train(examples)
            self.on_trained(len(examples))

        def loss_pi(self, targets, outputs):
            loss = super().loss_pi(targets, outputs)
            self.on_loss("policy_loss", loss.item())
            return loss

        def loss_v(self, targets, outputs):
            loss = super().loss_v(targets, outputs)
            self.on_loss("value_loss", loss.item())
            return loss

    return board, Network
