#!/usr/bin/env python3
"""Plays any legal move, of any game."""

from gauntlet_agent import Agent


class RandomAgent(Agent):
    name = "random in Python"
    wants = ["legal"]

    def choose(self, position):
        return position.rng.choice(position.legal)


RandomAgent().run()
