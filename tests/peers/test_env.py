"""Tests of `gauntlet.env`: `python3 tests/peers/test_env.py`.

They need NumPy and the module that `python/native/build.sh` builds, and are skipped without. Games of PettingZoo need
PettingZoo.
"""

import copy
import importlib.util
import os
import random
import sys
import tempfile
import threading
import unittest
from pathlib import Path

try:
    import gauntlet
except ImportError:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
    import gauntlet

try:
    import numpy as np
    from gauntlet import _native
except ImportError as error:
    print(f"skipped: {error}; python/native/build.sh builds the native module")
    sys.exit(0)

GAMES = [
    ("othello", {"size": 6}),
    ("othello", {"size": 4}),
    ("connect_four", {}),
    ("go", {"size": 5}),
    ("chess", {"size": 5}),
    ("hex", {"size": 4, "swap": True}),
    ("breakthrough", {"size": 5}),
    ("mnk", {"rows": 3, "columns": 3, "row": 3}),
    ("ludeme", {"name": "minishogi"}),
    ("ludeme", {"name": "lasca"}),
    ("ludeme", {"name": "yavalath"}),
]


def perft(env, depth):
    """Number of sequences of `depth` actions, by copies of a single game; a finished game has none."""
    legal = env.legal_actions()
    if depth == 1:
        return len(legal)
    found = 0
    for action in legal:
        following = env.clone()
        following.step(action)
        found += perft(following, depth - 1)
    return found


class Rules(unittest.TestCase):
    def test_the_numbers_of_sequences_are_the_known_ones(self):
        # Othello 8x8: 4, 12, 56, 244, 1396; Connect Four: 7^n until a column is full; tic-tac-toe: 9 * 8 * 7 * 6.
        known = [("othello", {"size": 8}, [4, 12, 56, 244, 1396]), ("connect_four", {}, [7, 49, 343, 2401])]
        known.append(("mnk", {"rows": 3, "columns": 3, "row": 3}, [9, 72, 504, 3024]))
        known.append(("chess", {}, [20, 400]))
        for name, settings, counts in known:
            env = gauntlet.env(name, **settings)
            self.assertEqual([perft(env, depth + 1) for depth in range(len(counts))], counts, name)

    def test_a_finished_game_pays_its_players(self):
        env = gauntlet.env("mnk", rows=3, columns=3, row=3)
        self.assertEqual((env.actions, env.players, env.planes_shape, env.n), (9, 2, (2, 3, 3), None))
        for action in (0, 3, 1, 4):
            rewards, over = env.step(action)
            self.assertEqual((list(rewards), over), ([0, 0], False))
        rewards, over = env.step(2)
        self.assertEqual((list(rewards), over, env.current_player), ([1, -1], True, -4))
        self.assertFalse(env.legal().any())
        self.assertEqual((env.legal_actions(), env.sample(), list(env.playouts())), ([], -1, [1, -1]))
        rewards, over = env.step(7)
        self.assertEqual((list(rewards), over), ([0, 0], True))
        env.reset()
        self.assertEqual((env.current_player, int(env.legal().sum())), (0, 9))

    def test_planes_show_the_own_and_the_other_pieces(self):
        env = gauntlet.env("connect-four")
        env.step(env.action("D1"))
        shown = env.planes()
        self.assertEqual((shown.shape, shown.dtype), ((2, 6, 7), np.float32))
        # The second player is to move: the disc at the bottom of the column is the opponent's.
        self.assertEqual(np.argwhere(shown).tolist(), [[1, 5, 3]])
        env.step(env.action("D2"))
        self.assertEqual(np.argwhere(env.planes()).tolist(), [[0, 5, 3], [1, 4, 3]])
        last = gauntlet.env("connect_four", planes={"stones": "split", "last": True, "colour": True})
        last.step(last.action("D1"))
        self.assertEqual(np.argwhere(last.planes()).tolist(), [[1, 5, 3], [2, 5, 3]])
        self.assertEqual(gauntlet.env("chess", planes={"history": True}).planes_shape[1:], (8, 8))
        self.assertEqual(gauntlet.env("othello", size=6, tensors={}).planes().shape[1:], (6, 6))

    def test_logits_belong_to_legal_actions(self):
        for name, settings in GAMES:
            env = gauntlet.env(name, n=3, **settings)
            env.step(env.sample())
            slots = env.slots()
            self.assertTrue(((slots >= 0) == env.legal()).all(), name)
            self.assertLess(slots.max(), env.logits)
        othello = gauntlet.env("othello", size=6)
        self.assertEqual([int(slot) for slot in othello.slots() if slot >= 0], othello.legal_actions())

    def test_names_are_read_back(self):
        env = gauntlet.env("othello", size=8)
        self.assertEqual([env.action_name(action) for action in env.legal_actions()], ["D3", "C4", "F5", "E6"])
        self.assertEqual(env.action("D3"), env.legal_actions()[0])
        self.assertEqual(env.action_name(64), "pass")
        self.assertIn("X", env.text())
        for bad in ("A1", "", "Z99"):
            with self.assertRaisesRegex(ValueError, "legal are D3, C4, F5, E6"):
                env.action(bad)
        chess = gauntlet.env("chess")
        chess.step(chess.action("e4"))
        self.assertTrue(chess.state().startswith("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq"))

    def test_a_game_begins_at_a_position(self):
        env = gauntlet.env("chess", n=2)
        mate = "6k1/8/6KQ/8/8/8/8/8 w - - 0 1"
        env.reset([1], state=mate)
        self.assertEqual(env.state(1).split()[0], mate.split()[0])
        rewards, over = env.step([env.action("e4"), env.action("Qg7#", 1)])
        self.assertEqual((rewards.tolist(), over.tolist()), ([[0, 0], [1, -1]], [False, True]))
        with self.assertRaises(ValueError):
            env.reset(state="no position")

    def test_a_file_of_ludemes_is_a_game(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "four.lud")
            Path(path).write_text(
                '(game "Four" (players 2) (equipment { (board (square 4)) (piece "Stone" Each) })'
                "(rules (play (move Add (to (sites Empty)))) (end (if (is Line 4) (result Mover Win)))))"
            )
            for env in (gauntlet.env(path), gauntlet.env("ludeme", file=Path(path))):
                self.assertEqual(int(env.legal().sum()), 16)
            Path(path).write_text("(game")
            with self.assertRaises(ValueError):
                gauntlet.env(path)


class Batches(unittest.TestCase):
    def test_a_batch_plays_as_its_games_would_alone(self):
        for name, settings in GAMES:
            n = 256 if name == "othello" else 12
            batch = gauntlet.env(name, n=n, seed=3, **settings)
            singles = [gauntlet.env(name, **settings) for _ in range(n)]
            over = np.zeros(n, bool)
            for _ in range(30):
                actions = batch.sample()
                self.assertTrue(((actions == -1) == over).all())
                rewards, over = batch.step(actions)
                for index, single in enumerate(singles):
                    reward, end = single.step(actions[index]) if actions[index] >= 0 else (np.zeros(2), True)
                    self.assertEqual((reward.tolist(), end), (rewards[index].tolist(), over[index]), name)
            self.assertTrue((np.stack([single.planes() for single in singles]) == batch.planes()).all(), name)
            self.assertTrue((np.stack([single.legal() for single in singles]) == batch.legal()).all(), name)
            self.assertEqual([single.current_player for single in singles], batch.current_player.tolist(), name)
            self.assertEqual(singles[5].text(), batch.text(5), name)

    def test_legal_actions_are_those_that_can_be_played(self):
        for name, settings in GAMES:
            env = gauntlet.env(name, **settings)
            for _ in range(6):
                legal = env.legal()
                self.assertEqual(np.flatnonzero(legal).tolist(), env.legal_actions(), name)
                for action in random.Random(1).sample(range(env.actions), min(env.actions, 60)):
                    following = env.clone()
                    try:
                        following.step(action)
                        played = True
                    except ValueError:
                        played = False
                    self.assertEqual(played, legal[action], (name, action))
                env.step(env.sample())
                if env.current_player < 0:
                    break

    def test_an_illegal_action_names_the_legal_ones_and_changes_nothing(self):
        env = gauntlet.env("othello", size=8, n=2)
        before = env.planes()
        message = r"^action 0 \(A1\) of game 1 is illegal; legal are 19 \(D3\), 26 \(C4\), 37 \(F5\), 44 \(E6\)$"
        with self.assertRaisesRegex(ValueError, message):
            env.step([19, 0])
        self.assertTrue((env.planes() == before).all())
        for action in (-1, 65, 2**32 + 19, -(2**63), 2**63 - 1):
            with self.assertRaisesRegex(ValueError, f"action {action} of game 0 is illegal"):
                env.step([action, 19])

    def test_seeds_decide_random_actions(self):
        def drawn(seed, renewed=None):
            env = gauntlet.env("go", size=5, n=8, seed=seed)
            env.reset(seed=renewed)
            return [env.sample().tolist() for _ in range(5)] + [env.playouts().tolist()]

        self.assertEqual(drawn(1), drawn(1))
        self.assertNotEqual(drawn(1), drawn(2))
        self.assertEqual(drawn(1), drawn(2, renewed=1))
        self.assertGreater(len(set(map(tuple, zip(*drawn(1)[:5])))), 4, "games have streams of their own")

    def test_random_actions_are_uniform(self):
        env = gauntlet.env("connect_four", n=7000)
        counts = np.bincount(env.sample() - env.legal_actions()[0], minlength=7)
        # Chi-squared with 6 degrees of freedom: 22.46 is its 0.1 % point.
        self.assertLess(((counts - 1000) ** 2 / 1000).sum(), 22.46)

    def test_clones_are_independent(self):
        env = gauntlet.env("othello", size=6, n=4, seed=5)
        env.step(env.sample())
        for clone in (env.clone(), copy.copy(env), copy.deepcopy(env)):
            self.assertTrue((clone.planes() == env.planes()).all())
            before = env.planes()
            self.assertTrue((clone.sample() == env.clone().sample()).all())
            clone.step(clone.sample())
            self.assertFalse((clone.planes() == before).all())
            self.assertTrue((env.planes() == before).all())
        some = env.clone([2, 2, 0])
        self.assertEqual((some.n, some.text(0), some.text(1), some.text(2)), (3, *map(env.text, (2, 2, 0))))
        leaves = gauntlet.env("hex", size=5).clone([0] * 100)
        self.assertEqual(leaves.n, 100)
        self.assertGreater(len(set(leaves.sample().tolist())), 10, "copies of one game have streams of their own")

    def test_some_games_begin_again(self):
        env = gauntlet.env("hex", size=3, n=3)
        env.step(env.sample())
        env.reset([1])
        self.assertEqual(env.legal().sum(1).tolist(), [8, 9, 8])
        env.reset(np.array([True, False, False]))
        self.assertEqual(env.legal().sum(1).tolist(), [9, 9, 8])
        again = gauntlet.env("mnk", rows=3, columns=3, row=3, n=2, auto_reset=True)
        for actions in ([0, 0], [3, 3], [1, 1], [4, 4]):
            self.assertFalse(again.step(actions)[1].any())
        rewards, over = again.step([2, 8])
        self.assertEqual((rewards.tolist(), over.tolist()), ([[1, -1], [0, 0]], [True, False]))
        self.assertEqual((again.legal().sum(1).tolist(), again.current_player.tolist()), ([9, 4], [0, 1]))


class Faults(unittest.TestCase):
    def test_bad_games_and_settings_are_named(self):
        for name, settings, message in [
            ("shogi", {}, "unknown variant `shogi`"),
            ("othello", {"size": 3}, "othello board size 3 is outside 4 to 350"),
            ("othello", {"siz": 6}, "unknown field `siz`"),
            ("othello", {}, "missing field `size`"),
            ("othello", {"size": 6, "n": 0}, "has 1 to .* games, not 0"),
            ("othello", {"size": 6, "n": 2**40}, "games, not 1099511627776"),
            ("othello", {"size": 350, "n": 10000}, "games, not 10000"),
            ("chess", {"planes": {}}, "`planes` of chess"),
            ("othello", {"size": 6, "planes": {}, "tensors": {}}, "not both"),
            ("othello", {"size": 6, "planes": {"stone": 1}}, "unknown field `stone`"),
            ("ludeme", {"name": "yavalat"}, "no described game is called `yavalat`"),
            ("none.lud", {}, "none.lud"),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                gauntlet.env(name, **settings)

    def test_a_closed_environment_says_so(self):
        with gauntlet.env("othello", size=4, n=2) as env:
            env.step(env.sample())
        env.close()
        for call in (env.reset, env.legal, env.planes, env.sample, env.clone, env.text, env.playouts, env.slots):
            with self.assertRaisesRegex(RuntimeError, "closed"):
                call()
        with self.assertRaisesRegex(RuntimeError, "closed"):
            env.step([0, 0])

    def test_two_threads_get_an_exception_or_an_answer(self):
        env, faults, answers = gauntlet.env("go", size=9, n=512), [], []

        def work():
            for _ in range(20):
                try:
                    answers.append(env.playouts().shape)
                except RuntimeError as error:
                    faults.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(faults) + len(answers), 80)
        self.assertTrue(answers and faults)
        self.assertTrue(all("in use by another thread" in fault for fault in faults))
        self.assertEqual(env.legal().shape, (512, 82))

    def test_threads_with_clones_do_not_meet(self):
        env = gauntlet.env("othello", size=8, n=64)
        clones, answers = [env.clone() for _ in range(4)], []
        threads = [threading.Thread(target=lambda one=one: answers.append(one.playouts().tolist())) for one in clones]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [answers[0]] * 4)

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork")
    def test_after_a_fork_there_is_an_exception(self):
        env = gauntlet.env("othello", size=6, n=4)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                env.step([0, 0, 0, 0])
            except RuntimeError as error:
                own = gauntlet.env("othello", size=6)
                env.close()
                code = 0 if "make one after the fork" in str(error) and own.legal().sum() == 4 else 2
            finally:
                os._exit(code)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(env.legal().shape, (4, 37))

    def test_without_the_native_module_the_error_says_how_to_get_it(self):
        known = {name: sys.modules.get(name) for name in ("gauntlet._native", "numpy")}
        attribute = gauntlet.__dict__.pop("_native", None)
        try:
            for name, message in (("gauntlet._native", "python/native/build.sh"), ("numpy", "pip install numpy")):
                sys.modules[name] = None
                with self.assertRaisesRegex(ImportError, message):
                    gauntlet.env("othello", size=6)
                sys.modules[name] = known[name]
        finally:
            sys.modules.update(known)
            gauntlet._native = attribute


class Fuzz(unittest.TestCase):
    """Random calls: every answer is a value or an ordinary exception."""

    ODD = [None, -1, 0, 1, 3, 2**31, 2**63, 2**64, -(2**70), 1.5, float("nan"), "", "D3", "\0", b"x", [], [[]], {}, object()]
    ODD += [np.nan, np.zeros(0), np.zeros(4), np.zeros((4, 2), int), np.full(4, 2**63, np.uint64), np.array(["a"] * 4)]
    ODD += [np.arange(8)[::2], np.zeros(4, np.int8), np.ones(4, bool), np.array([None] * 4), np.zeros((), int), range(4)]
    ODD += [np.array([0, 1, 2, 3]), np.array([3, 2, 1, 0])[::-1], np.zeros(4, ">i8"), np.zeros(4, "complex"), True]

    def calls(self, target, draw, names, rounds):
        raised = 0
        for _ in range(rounds):
            name = draw.choice(names)
            arguments = [draw.choice(self.ODD) for _ in range(draw.randrange(4))]
            try:
                value = getattr(target, name)
                if callable(value):
                    value(*arguments)
            except Exception as error:
                self.assertNotIn("a bug of gauntlet", str(error), (name, arguments))
                raised += 1
        return raised

    def test_the_interface(self):
        draw = random.Random(1)
        for name, settings in GAMES:
            for n in (None, 4):
                env = gauntlet.env(name, n=n, **settings)
                names = [one for one in dir(env) if not one.startswith("_") and one != "close"]
                self.assertGreater(self.calls(env, draw, names, 400), 0)
                self.assertEqual(env.clone().planes().shape[-3:], env.planes_shape)

    def test_the_native_module(self):
        draw = random.Random(2)
        for name, settings in GAMES:
            batch = gauntlet.env(name, n=4, **settings)._batch
            names = [one for one in dir(batch) if not one.startswith("_")]
            for one in names:
                for argument in self.ODD:
                    if one != "close":
                        self.calls(batch, random.Random(0), [one], 1)
            self.assertGreater(self.calls(batch, draw, names, 400), 0)
        for _ in range(500):
            arguments = [draw.choice([*self.ODD, '{"othello": {"size": 6}}']) for _ in range(5)]
            try:
                _native.Batch(*arguments)
            except Exception as error:
                self.assertNotIn("a bug of gauntlet", str(error), arguments)

    def test_random_settings(self):
        draw = random.Random(3)
        keys = ["size", "rows", "columns", "row", "komi", "swap", "name", "file", "description", "n", "seed", "planes"]
        for _ in range(500):
            game = draw.choice(["othello", "go", "chess", "mnk", "hex", "ludeme", "", "{", "\0", "atari-go", "pente"])
            settings = {key: draw.choice([5, 8, *self.ODD]) for key in draw.sample(keys, draw.randrange(4))}
            try:
                gauntlet.env(game, **settings).legal()
            except Exception as error:
                self.assertNotIn("a bug of gauntlet", str(error), (game, settings))

    def test_random_games_with_random_resets(self):
        draw = random.Random(4)
        for name, settings in GAMES:
            env = gauntlet.env(name, n=8, auto_reset=draw.random() < 0.5, **settings)
            for _ in range(300):
                env.step(env.sample())
                if draw.random() < 0.05:
                    env.reset(draw.sample(range(8), 3))
                if draw.random() < 0.02:
                    env = env.clone(draw.choices(range(8), k=8))
            self.assertEqual(env.legal().shape, (8, env.actions))


@unittest.skipUnless(importlib.util.find_spec("pettingzoo"), "there is no PettingZoo")
class PettingZoo(unittest.TestCase):
    def test_its_own_test_passes(self):
        from pettingzoo.test import api_test

        for name, settings in GAMES[:4]:
            api_test(gauntlet.pettingzoo_env(name, **settings), num_cycles=200)

    def test_the_players_take_turns(self):
        env = gauntlet.pettingzoo_env("mnk", rows=3, columns=3, row=3)
        env.reset(seed=1)
        for action, agent in zip((0, 3, 1, 4, 2), ("player_0", "player_1") * 3):
            self.assertEqual(env.agent_selection, agent)
            observation, reward, over, cut, _ = env.last()
            self.assertEqual((reward, over, cut, observation["action_mask"][action]), (0, False, False, 1))
            env.step(action)
        self.assertEqual(env.rewards, {"player_0": 1.0, "player_1": -1.0})
        self.assertTrue(all(env.terminations.values()))


if __name__ == "__main__":
    unittest.main()
