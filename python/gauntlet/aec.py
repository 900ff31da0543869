"""Games as environments of PettingZoo: `gauntlet.pettingzoo_env`. It needs PettingZoo."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete
from pettingzoo import AECEnv

from .environment import env

__all__ = ["BoardGame"]


class BoardGame(AECEnv):
    """One game for two agents that move in turn.

    An observation has the planes, [rows, columns, channels] as in PettingZoo's games, seen by the side to move, and the
    action mask, which is zero for an agent that is not to move. An illegal action is a `ValueError`.
    """

    metadata = {"name": "gauntlet_v0", "render_modes": ["ansi"], "is_parallelizable": False}

    def __init__(self, game: str, *, render_mode: Optional[str] = None, **options: Any) -> None:
        super().__init__()
        self.env, self.render_mode = env(game, **options), render_mode
        channels, rows, columns = self.env.planes_shape
        planes = Box(-np.inf, np.inf, (rows, columns, channels), np.float32)
        mask = Box(0, 1, (self.env.actions,), np.int8)
        self.possible_agents = ["player_0", "player_1"]
        self.observation_spaces = {
            agent: Dict({"observation": planes, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(self.env.actions) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[dict[str, Any]] = None) -> None:
        self.env.reset(seed=seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[self.env.current_player]

    def observe(self, agent: str) -> dict[str, Any]:
        mask = self.env.legal() if agent == self.agent_selection else np.zeros(self.env.actions)
        return {"observation": np.moveaxis(self.env.planes(), 0, -1), "action_mask": mask.astype(np.int8)}

    def step(self, action: Optional[int]) -> None:
        mover = self.agent_selection
        if self.terminations[mover]:
            return self._was_dead_step(action)
        rewards, over = self.env.step(action)
        self._cumulative_rewards[mover] = 0.0
        self.rewards = dict(zip(self.possible_agents, map(float, rewards)))
        self.terminations = dict.fromkeys(self.agents, over)
        other = self.possible_agents[mover == self.possible_agents[0]]
        self.agent_selection = other if over else self.possible_agents[self.env.current_player]
        self._accumulate_rewards()
        return None

    def render(self) -> Optional[str]:
        return self.env.text() if self.render_mode == "ansi" else None

    def close(self) -> None:
        self.env.close()
