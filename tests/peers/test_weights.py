"""Tests of files of weights in PyTorch, by the blocks of docs/results/weights.md: `python3 tests/peers/test_weights.py`.

    requirements: torch==2.15.0 numpy==2.4.6 safetensors==0.8.0

They train a small network with the program `gauntlet` (on PATH, or in the variable GAUNTLET), and are skipped without one
of these. The program's own numbers come from its engine: a search of one simulation that counts the root has the
network's policy as its policy.
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

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "guide")]
from engine_host import Engine, Othello, othello
from pages import ROOT, blocks

PAGE = ROOT / "docs/results/weights.md"
PROGRAM = shutil.which(os.environ.get("GAUNTLET", "gauntlet"))
MISSING = [name for name in ("torch", "numpy", "safetensors") if importlib.util.find_spec(name) is None]
MISSING += [] if PROGRAM else ["gauntlet"]
SECONDS = 300


def run(*arguments):
    """The output of the program, which succeeds."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def positions(games):
    """All positions of some random games, as questions of the engine protocol."""
    for seed in range(games):
        dice, board = random.Random(seed), Othello(6)
        while not board.is_over:
            yield board.question(seed, "00" * 32)
            board.play(dice.choice(board.actions()))


@unittest.skipIf(MISSING, f"there is no {', '.join(MISSING)}")
class Weights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place, before = tempfile.TemporaryDirectory(), os.getcwd()
        cls.addClassCleanup(place.cleanup)
        cls.addClassCleanup(os.chdir, before)
        os.chdir(place.name)
        texts = {block.name: block.text for block in blocks(PAGE.read_text()) if block.name}
        Path("small.toml").write_text(texts["small.toml"])
        Path("reads.toml").write_text(texts["reads.toml"])
        run("run", "small.toml", "--quiet")
        (trained,) = Path("results/jobs").glob("train-*/weights.safetensors")
        run("export", str(trained), "my.safetensors")
        cls.page = {}
        exec(compile(texts["agz.py"], f"{PAGE}: agz.py", "exec"), cls.page)
        cls.page["torch"].set_num_threads(1)

    def load(self, path="my.safetensors"):
        return self.page["load"](path)

    def save(self, net, facts, path):
        self.page["save"](net, facts, path)

    def apart(self, net, path):
        """The largest distances of policies and values between a network in PyTorch and the program with a file."""
        torch, (_, facts) = self.page["torch"], self.load(path)
        settings = ", ".join(f"{key} = {json.dumps(value)}" for key, value in facts["net"]["agz-cnn"].items())
        search = "search = { simulations = 1, count-root = true }, temperature = 1.0"
        agent = f"guided = {{ network = {{ agz-cnn = {{ {settings} }} }}, {search} }}"
        engine = Engine([PROGRAM, "engine", "--protocol", "json", path, "--agent", agent], othello(6))
        policies, values, count = 0.0, 0.0, 0
        for question in positions(10):
            answer = engine.think([question])[question["game"]]
            with torch.inference_mode():
                logits, value = net(torch.tensor(question["planes"]).view(1, 1, 6, 6))
            policy = logits[0][question["slots"]].softmax(0).tolist()
            self.assertEqual(len(policy), len(answer["policy"]))
            policies = max(policies, *(abs(one - other) for one, other in zip(policy, answer["policy"])))
            values, count = max(values, abs(value.item() - answer["value"])), count + 1
        self.assertEqual(engine.close(), 0)
        self.assertGreater(count, 200)
        return policies, values

    def test_a_loaded_network_has_the_programs_policies_and_values(self):
        policies, values = self.apart(self.load()[0], "my.safetensors")
        self.assertLess(policies, 1e-5)
        self.assertLess(values, 1e-5)

    def test_a_saved_file_has_the_same_tensors_and_metadata(self):
        from safetensors import safe_open
        from safetensors.numpy import load_file

        net, facts = self.load()
        self.save(net, facts, "again.safetensors")
        before, after = load_file("my.safetensors"), load_file("again.safetensors")
        self.assertEqual(list(before), list(after))
        for name, tensor in before.items():
            self.assertEqual((tensor.dtype, tensor.shape), (after[name].dtype, after[name].shape), name)
            self.assertEqual(tensor.tobytes(), after[name].tobytes(), name)
        with safe_open("again.safetensors", "np") as file:
            metadata = file.metadata()
        # The checksum of the other file would be wrong.
        self.assertEqual(list(metadata), ["gauntlet"])
        self.assertEqual(json.loads(metadata["gauntlet"]), facts)
        run("play", "again.safetensors")

    def test_the_program_plays_with_weights_that_pytorch_changed(self):
        torch, (net, facts) = self.page["torch"], self.load()
        torch.manual_seed(1)
        optimiser = torch.optim.Adam(net.parameters(), 0.01)
        images, wanted = torch.randn(64, 1, 6, 6), torch.rand(64) - 0.5
        for _ in range(20):
            logits, value = net(images)
            loss = (value - wanted).square().mean() + torch.nn.functional.cross_entropy(logits, torch.arange(64) % 37)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        self.save(net.eval(), facts, "trained.safetensors")
        policies, values = self.apart(net, "trained.safetensors")
        self.assertLess(policies, 1e-5)
        self.assertLess(values, 1e-5)
        # These are other weights: the old file has other answers.
        self.assertGreater(min(self.apart(net, "my.safetensors")), 0.01)
        shutil.copy("trained.safetensors", "data.safetensors")
        manifest = Path("reads.toml").read_text().replace("my.safetensors", "data.safetensors")
        Path("data.toml").write_text(manifest)
        run("run", "data.toml", "--data", ".", "--quiet")

    def test_the_tensors_of_a_file_are_those_of_its_network(self):
        (listed,) = json.loads(run("explain", "my.safetensors", "--json"))
        net, facts = self.load()
        self.assertEqual([tensor["tensor"] for tensor in listed["tensors"]], facts["order"])
        self.assertEqual((listed["unreadable"], listed["metadata"]["blake3"]), (None, "right"))
        settings = ", ".join(f"{key} = {json.dumps(value)}" for key, value in facts["net"]["agz-cnn"].items())
        (network,) = json.loads(run("explain", f"weights agz-cnn = {{ {settings} }}", "--json"))
        self.assertEqual((network["game"], network["tensors"]), ("othello 6x6", listed["tensors"]))
        sizes = {name: weight.numel() for name, weight in net.state_dict().items()}
        for tensor in listed["tensors"]:
            count = 1
            for size in tensor["shape"]:
                count *= size
            self.assertEqual(sizes.pop(tensor["tensor"]), count)
        self.assertEqual(sizes, {})


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: there is no {', '.join(MISSING)}")
    unittest.main()
