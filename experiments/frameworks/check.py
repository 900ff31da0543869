#!/usr/bin/env python3
"""Checks the search of an adapter on positions whose best moves are known.

    python3 check.py [--game GAME] DIRECTORY COMMAND...     # the files of a training, and the command of its play.py

Example, in the folder of an adapter: `../check.py FILES ../environments/pgx/bin/python play.py`. The game is `connect4`
or `othello6`. In Othello, five or six squares are empty: by an exact search, one move wins and all others lose.
It ends with 1 if a move is another one.
"""

import argparse
import json
import os
import subprocess
import sys

CONNECT4 = {
    "name": "connect-four 6x7", "kind": "connect-four", "spec": {"connect-four": {}}, "rows": 6, "columns": 7,
    "sites": 42, "actions": 7, "sides": ["first", "second"],
}  # fmt: skip

OTHELLO6 = {
    "name": "othello 6x6", "kind": "othello", "spec": {"othello": {"size": 6}}, "rows": 6, "columns": 6,
    "sites": 36, "actions": 37, "sides": ["black", "white"],
}  # fmt: skip

POSITIONS = {
    "connect4": [
        ("wins in a row", "A1 A2 B1 B2 C1 C2", "D1"),
        ("wins in a column", "D1 A1 D2 A2 D3 B1", "D4"),
        ("blocks a column", "A1 D1 A2 E1 A3", "A4"),
    ],
    "othello6": [
        (
            "takes a corner",
            "B3 B2 B1 C5 B5 A5 A6 E3 C6 B6 D5 D6 E6 B4 E2 A1 C2 D2 A4 E1 C1 D1 F2 F4 E4 E5 F3",
            "F1 A3 F5",
        ),
        (
            "leaves a corner",
            "E4 E3 B2 E5 D2 A1 F3 C5 D5 E2 B3 B4 B6 B5 F2 E1 A4 A5 F4 A3 C1 C2 F1 F5 B1 A6",
            "D1 C6 D6 E6 F6",
        ),
        (
            "makes the other side pass",
            "D5 E3 F2 B5 B3 E2 B4 D6 E6 A3 F1 F6 B2 A5 E4 F3 C2 D1 D2 F4 C5 A4 F5 C1 B1 E5",
            "E1 A2 A6 B6 C6",
        ),
        (
            "after a pass",
            "E4 C5 B3 A2 B6 C6 B5 E3 E2 A6 C2 C1 A3 F5 D5 F3 E5 E6 D6 A4 B4 E1 F6 pass F2 F1 D2 F4",
            "A5 B1 B2 D1",
        ),
    ],
}
"""The purpose, the moves so far, and the best move; in Othello, with the other legal moves."""


def main(game, directory, command):
    environment = {**os.environ, "GAUNTLET_ARTEFACTS": directory, "OMP_NUM_THREADS": "1"}
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)

    def ask(message, key):
        engine.stdin.write(json.dumps(message) + "\n")
        engine.stdin.flush()
        while key not in (answer := json.loads(engine.stdout.readline())):
            if "error" in answer:
                sys.exit(answer["error"])
        return answer[key]

    options = {"simulations": 200, "clone": "../environments/alpha_zero_general/clone"}
    facts = {"connect4": CONNECT4, "othello6": OTHELLO6}[game]
    hello = {"protocol": 1, "program": "check", "game": facts, "seed": "0" * 64, "options": options}
    print(ask({"hello": {**hello, "artefacts": directory}}, "hello")["name"])
    wrong = 0
    for number, (purpose, moves, legal) in enumerate(POSITIONS[game]):
        moves, (best, *others) = moves.split(), legal.split()
        side, legal = "first" if len(moves) % 2 == 0 else "second", sorted([best, *others])
        if game == "connect4":
            legal = [column + str(1 + sum(move[0] == column for move in moves)) for column in "ABCDEFG"]
        question = {"game": number, "ply": len(moves), "side": side, "seed": "0" * 64, "moves": moves, "legal": legal}
        move = ask({"think": [question], "id": number}, "moves")[0]["move"]
        wrong += move != best
        print(f"{purpose}: {move}, {'right' if move == best else 'wrong'}")
    engine.stdin.write('{"quit":true}\n')
    engine.stdin.close()
    engine.wait(20)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", choices=list(POSITIONS), default="connect4")
    parser.add_argument("directory", help="a directory with the files of a training")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="the command of its play.py")
    main(**vars(parser.parse_args()))
