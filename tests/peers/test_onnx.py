"""Our own networks in ONNX Runtime: `python3 tests/peers/test_onnx.py`.

    requirements: numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 safetensors==0.8.0

The program `gauntlet` (on PATH, or in the variable GAUNTLET) trains small networks on Othello and exports them. Its own
numbers come from its engine: a search of one simulation that counts the root has the network's policy as its policy.
Networks over tensors of a game are compared if the variable GAUNTLET_EXPORTS names a directory with files that

    GAUNTLET_EXPORTS=DIRECTORY cargo test --release -p gauntlet-nets --lib files_for_other_programs -- --ignored

wrote: our own answers on random positions, for every kind of network. Files of `gauntlet.write_onnx` are compared with
PyTorch, if torch is there. Each part is skipped without one of these.
"""

import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from engine_host import Engine, Othello, othello

PROGRAM = shutil.which(os.environ.get("GAUNTLET", "gauntlet"))
PACKAGES = [name for name in ("numpy", "onnx", "onnxruntime", "safetensors") if importlib.util.find_spec(name) is None]
MISSING = PACKAGES + ([] if PROGRAM else ["gauntlet"])
EXPORTS = os.environ.get("GAUNTLET_EXPORTS")
SECONDS = 600
MOST = 1e-5
NETWORKS = {
    "az-cnn": {"channels": 6, "wide": 12, "narrow": 10},
    "window-cnn": {"window": 4, "cnn": {"channels": 6, "wide": 12, "narrow": 10}},
    "agz-cnn": {"channels": [8, 12, 16], "policy": 2, "value": 1, "hidden": 16},
    "res-net-v2": {"channels": 8, "blocks": 2},
    "saz": {"hidden": 16, "layers": 2},
}
TRAINING = """
schema = 1
name = "{name}"
title = "A small network on Othello"
games.board.othello = {{ size = 6 }}
agents.net.guided = {{ network = {network}, search = {{ simulations = 8 }} }}
[stages.train.train.alpha-zero]
game = "board"
agent = "net"
settings = {{ iterations = 1, games = 8, steps = 8, batch = 16 }}
"""


def toml(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(part)}" for key, part in value.items()) + " }"
    return json.dumps(value)


def run(*arguments, code=0):
    """The messages of the program, which ends with this code."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    assert done.returncode == code, (arguments, done.stderr)
    return done.stderr


def session(path):
    """A valid file, loaded."""
    import onnx
    import onnxruntime

    onnx.checker.check_model(str(path), full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def apart(one, other):
    """The largest distance of two arrays of equal shapes."""
    assert one.shape == other.shape, (one.shape, other.shape)
    return float(abs(one - other).max())


@unittest.skipIf(MISSING, f"there is no {', '.join(MISSING)}")
class Trained(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place, before = tempfile.TemporaryDirectory(), os.getcwd()
        cls.addClassCleanup(place.cleanup)
        cls.addClassCleanup(os.chdir, before)
        os.chdir(place.name)

    def export(self, name):
        """The directory of a training, and its exported network."""
        results, manifest = f"results-{name}", Path(f"{name}.toml")
        if not Path(f"{name}.onnx").exists():
            manifest.write_text(TRAINING.format(name=name, network=toml({name: NETWORKS[name]})))
            run("run", str(manifest), "--results", results, "--quiet")
        (job,) = Path(results).glob("jobs/train-*")
        run("export", str(job), f"{name}.onnx")
        return job, session(f"{name}.onnx")

    def test_files_have_the_policies_and_values_of_the_program(self):
        import numpy as np

        for name in NETWORKS:
            with self.subTest(name):
                job, file = self.export(name)
                search = "search = { simulations = 1, count-root = true }, temperature = 1.0"
                agent = f"guided = {{ network = {toml({name: NETWORKS[name]})}, {search} }}"
                engine = Engine([PROGRAM, "engine", "--protocol", "json", str(job), "--agent", agent], othello(6))
                policies, values, count = 0.0, 0.0, 0
                for seed in range(6):
                    dice, board = random.Random(seed), Othello(6)
                    while not board.is_over:
                        question = board.question(seed, "00" * 32)
                        answer = engine.think([question])[question["game"]]
                        planes = np.asarray(question["planes"], np.float32).reshape(1, 1, 6, 6)
                        logits, value = file.run(["logits", "value"], {"planes": planes})
                        shares = np.exp(logits[0, question["slots"]].astype(np.float64))
                        policies = max(policies, apart(shares / shares.sum(), np.asarray(answer["policy"])))
                        values, count = max(values, abs(value.item() - answer["value"])), count + 1
                        board.play(dice.choice(board.actions()))
                self.assertEqual(engine.close(), 0)
                self.assertGreater(count, 100)
                print(f"{name}: {count} positions, policies {policies:.1e} and values {values:.1e} apart")
                self.assertLess(max(policies, values), MOST)

    def test_players_read_the_files_again(self):
        import numpy as np
        from safetensors.numpy import save_file

        for name in NETWORKS:
            with self.subTest(name):
                _, file = self.export(name)
                planes = np.random.default_rng(1).integers(-1, 2, (9, 1, 6, 6)).astype(np.float32)
                logits, value = file.run(["logits", "value"], {"planes": planes})
                save_file({"input": planes, "logits": logits, "value": value}, f"{name}.check.safetensors")
                network = toml({"onnx": {"file": f"{name}.onnx"}})
                text = TRAINING.format(name=f"again-{name}", network=network).split("[stages")[0]
                text += 'agents.chance.random = {}\n[stages.match.play.match]\ngame = "board"\nagent = "net"\n'
                Path("again.toml").write_text(text + 'opponent = "chance"\ngames = 2\n')
                # `check` compares the answers of ONNX Runtime with those of the player.
                self.assertNotIn("error", run("check", "again.toml", "--data", "."))
                run("run", "again.toml", "--data", ".", "--results", "results-again", "--quiet")


@unittest.skipIf(PACKAGES or not EXPORTS, f"there is no {', '.join(PACKAGES) or 'GAUNTLET_EXPORTS'}")
class Exported(unittest.TestCase):
    def test_files_of_all_kinds_have_our_answers(self):
        from safetensors.numpy import load_file

        paths = sorted(Path(EXPORTS).glob("*.onnx"))
        self.assertGreater(len(paths), 10)
        for path in paths:
            with self.subTest(path.stem):
                ours = load_file(path.with_suffix(".check.safetensors"))
                file = session(path)
                logits, value = file.run(["logits", "value"], {"planes": ours["input"]})
                distances = apart(logits, ours["logits"]), apart(value, ours["value"])
                print(f"{path.stem}: logits {distances[0]:.1e} and values {distances[1]:.1e} apart")
                self.assertLess(max(distances), MOST)
                # One position alone, as the number of positions is open.
                one, _ = file.run(["logits", "value"], {"planes": ours["input"][:1]})
                self.assertLess(apart(one, ours["logits"][:1]), MOST)


@unittest.skipIf(PACKAGES or importlib.util.find_spec("torch") is None, "there is no torch, or no ONNX Runtime")
class Written(unittest.TestCase):
    def test_attention_is_exported_with_and_without_gradients(self):
        import torch
        from safetensors.numpy import load_file
        from torch import nn

        sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "python")]
        from gauntlet.onnx import write_onnx

        class Attention(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.attention = nn.Conv2d(2, 8, 1), nn.MultiheadAttention(8, 2, batch_first=True)
                self.policy, self.value = nn.Linear(8, 1), nn.Linear(8, 1)

            def forward(self, x):
                x = self.first(x).flatten(2).transpose(1, 2)
                x = x + self.attention(x, x, x, need_weights=False)[0]
                return self.policy(x)[:, :, 0], torch.tanh(self.value(x.mean(dim=1)))

        for learns in (True, False):
            with self.subTest(learns), tempfile.TemporaryDirectory() as place:
                path = Path(place) / "attention.onnx"
                write_onnx(Attention().requires_grad_(learns), path, (2, 3, 3))
                given = load_file(path.with_suffix(".check.safetensors"))
                logits, value = session(path).run(["logits", "value"], {"planes": given["input"]})
                self.assertLess(max(apart(logits, given["logits"]), apart(value, given["value"])), MOST)


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: there is no {', '.join(MISSING)}")
    unittest.main()
