#!/usr/bin/env python3
"""Checks the search of an adapter on three positions of Connect Four whose best moves are known.

    python3 check.py DIRECTORY COMMAND...     # a directory with the files of a training, and the command of its play.py

Example, in the folder of an adapter: `../check.py FILES ../environments/pgx/bin/python play.py`. It ends with 1 if a move is
another one.
"""

import json
import os
import subprocess
import sys

POSITIONS = [
    ("wins in a row", "A1 A2 B1 B2 C1 C2", "D1"),
    ("wins in a column", "D1 A1 D2 A2 D3 B1", "D4"),
    ("blocks a column", "A1 D1 A2 E1 A3", "A4"),
]
"""The purpose, the moves so far, and the best move."""

GAME = {
    "name": "connect-four 6x7", "kind": "connect-four", "spec": {"connect-four": {}}, "rows": 6, "columns": 7,
    "sites": 42, "actions": 7, "sides": ["first", "second"],
}  # fmt: skip


def main(directory, command):
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
    hello = {"protocol": 1, "program": "check", "game": GAME, "seed": "0" * 64, "options": options}
    print(ask({"hello": {**hello, "artefacts": directory}}, "hello")["name"])
    wrong = 0
    for number, (purpose, moves, best) in enumerate(POSITIONS):
        moves = moves.split()
        side = "first" if len(moves) % 2 == 0 else "second"
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
    main(sys.argv[1], sys.argv[2:])
