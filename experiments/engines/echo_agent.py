#!/usr/bin/env python3
"""Plays the first legal move: measures the speed of the protocol."""

from gauntlet_agent import Agent


class EchoAgent(Agent):
    name = "echo"
    wants = ["legal"]

    def choose(self, position):
        return position.legal[0]


EchoAgent().run()
