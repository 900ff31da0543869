#!/usr/bin/env python3
"""Plays Othello: looks one move ahead and weighs the squares of the board, corners most.

It reads the position as text: rows from the top, `x` for the first side and `o` for the second, numbers for runs of
empty squares, then the side to move.
"""

from gauntlet_agent import Agent

DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


def read(text):
    """The board as rows of `x`, `o` and `.`, and the side to move."""
    rows, side = text.split()
    board = []
    for row in rows.split("/"):
        cells, run = [], ""
        for letter in row + "|":
            if letter.isdigit():
                run += letter
                continue
            cells += ["."] * int(run or 0)
            run = ""
            cells += [letter] if letter in "xo" else []
        board.append(cells)
    return board, side


def flipped(board, row, column, side):
    """The discs that turn when this side moves there."""
    found = []
    for down, right in DIRECTIONS:
        line, at, to = [], row + down, column + right
        while 0 <= at < len(board) and 0 <= to < len(board[at]) and board[at][to] not in (".", side):
            line.append((at, to))
            at, to = at + down, to + right
        if 0 <= at < len(board) and 0 <= to < len(board[at]) and board[at][to] == side:
            found += line
    return found


def weight(row, column, rows, columns):
    """What a disc on this square is worth: corners much, their neighbours less than nothing."""
    away = sorted((min(row, rows - 1 - row), min(column, columns - 1 - column)))
    return {(0, 0): 30, (0, 1): -6, (1, 1): -10}.get(tuple(away), 3 if away[0] == 0 else 1)


class GreedyOthello(Agent):
    name = "greedy Othello"
    version = "1"
    games = ["othello"]
    wants = ["position", "legal"]

    def choose(self, position):
        board, side = read(position.position)
        scores = {move: self.score(board, side, move) for move in position.legal}
        best = max(scores.values())
        return position.rng.choice([move for move in position.legal if scores[move] == best])

    def score(self, board, side, move):
        if move.lower() == "pass":
            return 0
        row, column = int(move[1:]) - 1, ord(move[0].upper()) - ord("A")
        rows, columns = len(board), len(board[0])
        gained = sum(2 * weight(*square, rows, columns) for square in flipped(board, row, column, side))
        return weight(row, column, rows, columns) + gained


if __name__ == "__main__":
    GreedyOthello().run()
