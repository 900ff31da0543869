"""A linear network in the standard library alone, as docs/network-protocol.md describes the protocol.

Usage: linear.py MARK [FAULT]: the mark is in no message; the fault is one of those of the tests.
"""

import json
import math
import os
import random
import struct
import sys
import time

FAULT = sys.argv[2] if len(sys.argv) > 2 else ""


def receive():
    line = sys.stdin.buffer.readline()
    if not line:
        sys.exit(0)
    message, blocks = json.loads(line), {}
    for block in message.get("blocks", []):
        size = math.prod(block["shape"]) * (4 if block["type"] == "f32" else 1)
        numbers = sys.stdin.buffer.read(size)
        blocks[block["name"]] = list(struct.unpack(f"<{size // 4}f", numbers)) if block["type"] == "f32" else numbers
    return message, blocks


def send(message, **blocks):
    announced = []
    for name, (kind, shape, _) in blocks.items():
        announced.append({"name": name, "type": kind, "shape": shape})
    sys.stdout.buffer.write(json.dumps({**message, "blocks": announced}).encode() + b"\n")
    for kind, _, numbers in blocks.values():
        sys.stdout.buffer.write(numbers if kind == "u8" else struct.pack(f"<{len(numbers)}f", *numbers))
    sys.stdout.buffer.flush()


def rows(numbers, count):
    size = len(numbers) // count
    return [numbers[at * size : (at + 1) * size] for at in range(count)]


def product(weights, row):
    return sum(weight * number for weight, number in zip(weights, row))


def softmax(logits):
    most = max(logits)
    powers = [math.exp(logit - most) for logit in logits]
    return [power / sum(powers) for power in powers]


class Linear:
    def seed(self, seed):
        rng = random.Random(None if FAULT == "unseeded" else seed)
        draw = lambda: [rng.uniform(-0.1, 0.1) for _ in range(self.size)]
        # The last row is that of the value. The speeds are the state of the optimiser.
        self.weights = [draw() for _ in range(self.logits + 1)]
        self.speeds = [[0.0] * self.size for _ in range(self.logits + 1)]
        self.version = 0

    def evaluate(self, input):
        policy = [[product(weights, row) for weights in self.weights[:-1]] for row in input]
        return policy, [math.tanh(product(self.weights[-1], row)) for row in input]

    def learn(self, rules, blocks):
        count = len(blocks["values"])
        input, targets = rows(blocks["input"], count), rows(blocks["policy"], count)
        policy, values = self.evaluate(input)
        slopes = [[0.0] * self.size for _ in self.weights]
        losses = {"policy": 0.0, "value": 0.0, "entropy": 0.0}
        for row, target, logits, value, outcome in zip(input, targets, policy, values, blocks["values"]):
            shares = softmax(logits)
            losses["policy"] -= sum(t * math.log(p) for t, p in zip(target, shares)) / count
            losses["entropy"] -= sum(p * math.log(p) for p in shares) / count
            losses["value"] += (value - outcome) ** 2 / count
            by_logit = [(p - t) / count for p, t in zip(shares, target)]
            by_logit.append(2 * rules["value-weight"] * (value - outcome) * (1 - value * value) / count)
            for slope, by in zip(slopes, by_logit):
                for at, number in enumerate(row):
                    slope[at] += by * number
        if rules["fresh"]:
            self.speeds = [[0.0] * self.size for _ in self.weights]
        for weights, speeds, slope in zip(self.weights, self.speeds, slopes):
            for at in range(self.size):
                speeds[at] = 0.9 * speeds[at] - rules["rate"] * slope[at]
                weights[at] += speeds[at]
        self.version += 1
        return losses

    def save(self):
        numbers = self.weights + ([] if FAULT == "forgets" else self.speeds)
        return struct.pack(f"<{len(numbers) * self.size}d", *(number for row in numbers for number in row))

    def load(self, state, version):
        if FAULT == "refuses":
            raise ValueError("these bytes are not mine")
        numbers = rows(list(struct.unpack(f"<{len(state) // 8}d", state)), len(state) // 8 // self.size)
        self.weights = numbers[: self.logits + 1]
        self.speeds = numbers[self.logits + 1 :] or [[0.01] * self.size for _ in self.weights]
        self.version = version

    def answer(self, message, blocks):
        if "hello" in message:
            hello = message["hello"]
            self.size, self.logits = math.prod(hello["shape"]), hello["logits"]
            versions = {"python": os.environ.get("LINEAR_PYTHON", "3")}
            if FAULT == "renamed":
                versions["process"] = str(os.getpid())
            told = {"protocol": 2 if FAULT == "protocol" else 1, "name": "linear", "versions": versions}
            told["operations"] = 0 if FAULT == "uncounted" else 2 * self.size * (self.logits + 1)
            send({"log": f"hello {hello['settings']}"})
            send({"hello": told})
        elif "seed" in message:
            self.seed(message["seed"]["seed"])
            send({"ready": {}})
        elif "evaluate" in message:
            count = message["blocks"][0]["shape"][0]
            policy, values = self.evaluate(rows(blocks["input"], count))
            policy = [logit for row in policy for logit in row]
            if FAULT == "batch":
                values = [value + count / 1000 for value in values]
            if FAULT == "nan":
                policy[-1] = math.nan
            if FAULT == "fewer":
                values = values[:-1]
            if FAULT == "late" and self.version > 0:
                time.sleep(5)
            version = self.version + (FAULT == "old")
            logits = ("f32", [count, self.logits], policy)
            send({"answers": {"version": version}}, logits=logits, values=("f32", [len(values)], values))
        elif "learn" in message:
            if FAULT == "crash":
                print("the memory of the card is full", file=sys.stderr, flush=True)
                sys.exit(7)
            losses = self.learn(message["learn"], blocks)
            if FAULT == "explodes":
                losses["policy"] = 1e9
            version = self.version - (FAULT == "stays")
            send({"learned": {"version": version, "losses": losses, "metrics": {"speed": abs(self.speeds[0][0])}}})
        elif "save" in message:
            state = self.save()
            send({"saved": {}}, state=("u8", [len(state)], state))
        elif "load" in message:
            self.load(bytes(blocks["state"]), message["load"]["version"])
            send({"ready": {}})


network = Linear()
if FAULT == "prints":
    print("hello", flush=True)
if FAULT == "huge":
    print('{"hello": {}, "blocks": [{"name": "x", "type": "f32", "shape": [4000000000, 4000000000]}]}', flush=True)
if FAULT == "torn":
    print('{"hello": {}, "blocks": [{"name": "x", "type": "f32", "shape": [100]}]}', flush=True)
    sys.exit(0)
while True:
    message, blocks = receive()
    if "quit" in message:
        break
    try:
        network.answer(message, blocks)
    except ValueError as error:
        send({"error": str(error)})
        sys.exit(1)
