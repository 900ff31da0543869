"""What the trainer and the player of LightZero share: the rules, the policy with its network, and the search; and small
parts of the trainer.

The package of LightZero 0.2.0 lacks its environment of Connect Four (`zoo/board_games/connect4`). The rules here are
ours. The images are the same as those of its environment.
"""

import gym
import numpy as np
import torch
from ding.envs import BaseEnv, BaseEnvTimestep
from easydict import EasyDict
from lzero.mcts.ptree.ptree_az import MCTS
from lzero.policy.alphazero import AlphaZeroPolicy

SHAPE = (3, 6, 7)
"""Channels, rows and columns of an image: the discs of the side to move, those of the other side, the side to move."""

torch.set_num_threads(1)


def is_known(game):
    """Whether it is four in a row on 6x7."""
    facts = game["kind"], game["rows"], game["columns"], game["spec"].get("connect-four", {}).get("row", 4)
    return facts == ("connect-four", 6, 7, 4)


def lines_of(site):
    """The lines of four sites through a site."""
    for down, right in (0, 1), (1, 0), (1, 1), (1, -1):
        for back in range(4):
            line = [(site // 7 + (at - back) * down, site % 7 + (at - back) * right) for at in range(4)]
            if all(0 <= row < 6 and 0 <= column < 7 for row, column in line):
                yield [row * 7 + column for row, column in line]


LINES = [list(lines_of(site)) for site in range(42)]


class Connect4(BaseEnv):
    """The rules, as an environment of LightZero. A board has 42 sites from the top row on: 0, or the side 1 or 2.

    The search reads no observations, and its own environment makes none.
    """

    battle_mode = battle_mode_in_simulation_env = "self_play_mode"
    observation_space = reward_space = None
    action_space = gym.spaces.Discrete(7)

    def __init__(self, is_observed=True):
        self.is_observed = is_observed
        self.reset()

    def reset(self, start_player_index=0, init_state=None):
        self.board = [0] * 42 if init_state is None else list(init_state)
        self.current_player, self.winner = start_player_index + 1, -1
        return self.observe()

    def step(self, action):
        board, side = self.board, self.current_player
        site = max(site for site in range(int(action), 42, 7) if not board[site])
        board[site] = side
        if any(all(board[at] == side for at in line) for line in LINES[site]):
            self.winner = side
        self.current_player = 3 - side
        reward = np.array(float(self.winner == side), np.float32)
        return BaseEnvTimestep(self.observe(), reward, self.get_done_winner()[0], {"eval_episode_return": reward})

    @property
    def legal_actions(self):
        return [column for column in range(7) if not self.board[column]]

    def get_done_winner(self):
        """Whether the game is over, and the side that won, or -1."""
        return self.winner != -1 or all(self.board[:7]), self.winner

    def current_state(self):
        """The image, and the image that the network sees."""
        board = np.reshape(self.board, SHAPE[1:])
        side = self.current_player
        image = np.stack((board == side, board == 3 - side, np.full_like(board, side))).astype(np.float32)
        return image, image / 2

    def observe(self):
        if self.is_observed:
            index = self.current_player - 1
            image, board = self.current_state()[1], list(self.board)
            return {"observation": image, "board": board, "current_player_index": index, "to_play": index + 1}

    def close(self):
        pass

    def seed(self, seed, dynamic_seed=True):
        pass

    def __repr__(self):
        return "Connect Four on 6x7"


class Search(MCTS):
    """LightZero's search in Python. It returns the root, too: the policy of 0.2.0 reads it, and the search lacks it."""

    def _simulate(self, node, *rest):
        self.root = node
        super()._simulate(node, *rest)

    def get_next_action(self, *arguments):
        return *super().get_next_action(*arguments), self.root


class Policy(AlphaZeroPolicy):
    """LightZero's policy, with our rules. It tells each evaluation."""

    on_evaluation = staticmethod(lambda: None)

    def _get_simulation_env(self):
        self.simulate_env = Connect4(is_observed=False)

    def _init_collect(self):
        super()._init_collect()
        self._collect_mcts = Search(self._cfg.mcts, self.simulate_env)
        self.prepare()

    def prepare(self):
        """Sets the network for the search: see `averages` of `train.py`."""
        self._policy_model = self._collect_model
        self._policy_model.train(not self._cfg.averages)

    def _forward_collect(self, *arguments):
        self.prepare()
        return super()._forward_collect(*arguments)

    def _policy_value_fn(self, env):
        self.on_evaluation()
        return super()._policy_value_fn(env)


def build(shape, fields, mcts, **settings):
    """A policy with a network of this shape: `width`, `blocks`, `averages`."""
    config = AlphaZeroPolicy.default_config()
    config.mcts.update(mcts)
    model = {"observation_shape": SHAPE, "action_space_size": 7}
    model |= {"num_channels": shape["width"], "num_res_blocks": shape["blocks"]}
    config.update(model=EasyDict(model), mcts_ctree=False, averages=shape["averages"], **settings)
    return Policy(config, enable_field=fields)


def parts(positions):
    """Images, policies and outcomes of positions."""
    images = [each["obs"]["observation"] for each in positions]
    return images, [each["probs"] for each in positions], [int(each["reward"]) for each in positions]


def position(image, probs, reward):
    """A position of the buffer, with the parts that the policy learns from."""
    return {"obs": {"observation": image}, "probs": probs, "reward": reward, "collect_iter": 0}


def packed(positions):
    """Positions as arrays for a file: `position` takes them again, with half of the images."""
    images, policies, outcomes = parts(positions)
    return (torch.stack(images) * 2).to(torch.uint8), torch.stack(policies), outcomes
