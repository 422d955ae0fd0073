"""Writes backoff.json: what each decision must be, worked out exactly from the formulas of the reference.

Knows nothing of the Rust code. Usage: python3 tests/vectors/generate.py
"""

import json
import math
import random
from fractions import Fraction
from pathlib import Path

INFINITY = math.inf
MAX_SAFE = 2**53 - 1
FAR = 2_000  # by then any growing curve here is past any cap, so that no larger power need be worked out
EPOCH = 1_758_124_800_000
DRAWS = [0, 0.25, 0.5, 0.63, 0.75, 0.1, 0.999, 1 - 2**-53]

CURVES = {
    "squares": lambda n, prev, draw: 10 * n * n,
    "previous": lambda n, prev, draw: 2 * prev + 25,
    "drawn": lambda n, prev, draw: 400 * draw(),
    "nan": lambda n, prev, draw: INFINITY,  # "not a number" means the cap
    "infinity": lambda n, prev, draw: INFINITY,
    "negative": lambda n, prev, draw: 0,
    "minusInfinity": lambda n, prev, draw: 0,
}


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def exact(value):
    return value if value in (INFINITY, -INFINITY) else Fraction(value)


class NearHalf(Exception):
    """f64 could round the other way: such a case proves nothing, so it is left out."""


def nearest(value):
    whole = math.floor(value)
    if abs(value - whole - Fraction(1, 2)) <= abs(value) / 10**12 + Fraction(1, 10**9):
        raise NearHalf
    return whole + (value - whole > Fraction(1, 2))


def curve_ms(policy, options, attempt, prev, draw):
    base = exact(options.get("delayMs" if policy == "constant" else "baseMs", 0))
    far = min(attempt, FAR)
    if policy == "exponential":
        return base * exact(options.get("factor", 2)) ** (far - 1)
    if policy == "fibonacci":
        return base * fibonacci(far)
    if policy == "linear":
        return base * attempt
    if policy == "constant":
        return base
    if policy == "decorrelatedJitter":
        top = max(prev, base) * exact(options.get("factor", 3))
        return base + draw() * (top - base)
    return CURVES[options["delayFor"]](attempt, prev, draw)


def decide(policy, options, state, now, outcome, sample):
    drawn = []

    def draw():
        drawn.append(sample)
        return exact(sample)

    attempts = state["attempts"] + 1
    elapsed = max(Fraction(0), exact(now) - exact(state["startedAt"]))
    deadline = exact(options.get("deadlineMs", INFINITY))
    remaining = deadline if deadline == INFINITY else max(Fraction(0), deadline - elapsed)

    def answer(retry, delay, reason=None):
        decision = {"retry": retry, "delayMs": delay, "attempts": attempts, "remainingMs": remaining}
        if reason:
            decision["reason"] = reason
            return {"state": state, "decision": decision, "draws": len(drawn)}
        after = {"attempts": attempts, "startedAt": state["startedAt"], "prevDelayMs": delay}
        return {"state": after, "decision": decision, "draws": len(drawn)}

    if outcome.get("retryable") is False:
        return answer(False, 0, "nonRetryable")
    if attempts >= options.get("maxAttempts", INFINITY):
        return answer(False, 0, "maxAttempts")
    floor = outcome.get("retryAfterMs", 0)
    floor = MAX_SAFE if floor >= MAX_SAFE else max(0, math.ceil(exact(floor)))
    if elapsed + floor >= deadline:
        return answer(False, 0, "deadline")
    cap = options.get("maxDelayMs", 30_000)
    cap = MAX_SAFE if cap >= MAX_SAFE else math.floor(exact(cap))
    wait = min(cap, curve_ms(policy, options, attempts, exact(state["prevDelayMs"]), draw))
    jitter = "none" if policy == "decorrelatedJitter" else options.get("jitter", "full")
    if jitter == "full":
        wait = wait * draw()
    elif jitter == "equal":
        wait = Fraction(wait) / 2 + Fraction(wait) / 2 * draw()
    delay = max(nearest(Fraction(wait)), floor)
    if elapsed + delay >= deadline:
        return answer(False, 0, "deadline")
    return answer(True, delay)


def plain(value):
    """As JSON.stringify writes it, but for infinities."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (bool, str, int)):
        return value
    if value == INFINITY:
        return "Infinity"
    assert Fraction(float(value)) == value, "not an f64"
    return int(value) if value == int(value) and abs(value) <= MAX_SAFE else float(value)


class Vectors(list):
    def add(self, name, policy, options, state=(0, EPOCH, 0), now=EPOCH, outcome=None, sample=0.5):
        state = dict(zip(("attempts", "startedAt", "prevDelayMs"), state))
        outcome = outcome or {}
        try:
            expected = decide(policy, options, state, now, outcome, sample)
        except NearHalf:
            return
        given = {"name": name, "policy": policy, "options": options, "state": state, "now": now}
        self.append(plain({**given, "outcome": outcome, "random": sample, "expected": expected}))


def policies(base):
    yield "exponential", {"baseMs": base}
    yield "decorrelatedJitter", {"baseMs": base}
    yield "fibonacci", {"baseMs": base}
    yield "linear", {"baseMs": base}
    yield "constant", {"delayMs": base}
    yield "backoff", {"delayFor": "squares"}


def rules(out):
    """Each rule once for each policy."""
    for policy, options in policies(100):
        for jitter in ("none", "full", "equal", None):
            spread = {"jitter": jitter} if jitter else {}
            for sample in (0, 0.25, 1 - 2**-53):
                for failed, prev in ((0, 0), (3, 800)):
                    out.add(f"jitter {jitter or 'by default'}", policy, {**options, **spread, "maxAttempts": 9},
                            (failed, EPOCH, prev), EPOCH + 40, sample=sample)
        for failed in (0, 3, 4, 5):
            out.add("five attempts in all", policy, {**options, "maxAttempts": 5}, (failed, EPOCH, 100), sample=0.4)
        out.add("the first is the last", policy, {**options, "maxAttempts": 1})
        out.add("no end", policy, {**options, "maxAttempts": INFINITY}, (2**40, EPOCH, 7), sample=0.9)
        bounded = {**options, "maxAttempts": 5, "deadlineMs": 1_000}
        for elapsed in (0, 899, 900, 901, 990, 999, 1_000, 1_001, 10**9):
            out.add("strictly inside the deadline", policy, {**bounded, "jitter": "none"}, (0, EPOCH, 0),
                    EPOCH + elapsed, sample=0)
        out.add("a clock that jumped back an hour", policy, bounded, (1, EPOCH, 90), EPOCH - 3_600_000)
        out.add("a clock that jumped forward a year", policy, bounded, (1, EPOCH, 90), EPOCH + 31_536_000_000)
        out.add("a monotonic clock with fractions", policy, bounded, (1, 12.25, 90), 340.5)
        out.add("before the epoch", policy, bounded, (0, -5_000, 0), -4_800)
        for after in (0, -3, 1.25, 63, 5_000, 31_000, 1e300, INFINITY):
            server = {"retryAfterMs": after}
            out.add("a floor without a deadline", policy, {**options, "maxAttempts": 5}, outcome=server, sample=0.3)
            out.add("a floor inside a deadline", policy, {**options, "deadlineMs": 31_001}, outcome=server, sample=0.3)
            out.add("a floor at the deadline", policy, {**options, "deadlineMs": 31_000}, outcome=server, sample=0.3)
            out.add("a floor over a cap of nothing", policy, {**options, "maxAttempts": 5, "maxDelayMs": 0}, outcome=server)
        refused = {"retryable": False, "retryAfterMs": 9}
        out.add("refused outright", policy, bounded, outcome=refused)
        out.add("refused before the attempts are counted", policy, bounded, (7, EPOCH, 1), EPOCH + 5_000, refused)
        out.add("the attempts before the deadline", policy, bounded, (7, EPOCH, 1), EPOCH + 5_000)
        out.add("retryable, said aloud", policy, bounded, outcome={"retryable": True}, sample=0.6)
        for cap in (0, 10, 10.75, 250, 30_000, INFINITY):
            for failed in (0, 5, 11):
                out.add("the cap before jitter", policy, {**options, "maxAttempts": 99, "maxDelayMs": cap},
                        (failed, EPOCH, 5_000), sample=0.8)


def curves(out):
    """Each curve over its own range."""
    for policy, options in policies(100):
        for failed in (0, 1, 2, 3, 4, 5, 6, 7, 11, 14, 30, 63, 1_023, 10_000):
            out.add("the curve", policy, {**options, "maxAttempts": INFINITY, "jitter": "none"},
                    (failed, EPOCH, 450), sample=0.63)
    for policy in ("exponential", "decorrelatedJitter"):
        for factor in (1, 1.1, 1.5, 3, 10, 1e100):
            for failed, prev in ((0, 0), (1, 130), (6, 2_000), (500, 29_999)):
                options = {"baseMs": 130, "factor": factor, "maxAttempts": 1_000}
                out.add("a factor of one's own", policy, options, (failed, EPOCH, prev), sample=0.71)
    for base in (0, 0.75, 2.5, 1_001, 86_400_000):
        for policy, options in policies(base):
            out.add("a base of any size", policy, {**options, "maxAttempts": 4, "maxDelayMs": INFINITY},
                    (2, EPOCH, 12), sample=0.83)
    for name in CURVES:
        for failed, prev in ((0, 0), (2, 75)):
            options = {"delayFor": name, "maxAttempts": 5, "jitter": "none"}
            out.add(f"the curve {name}", "backoff", options, (failed, EPOCH, prev), sample=0.37)


def chance(out, count):
    """Ordinary operations, made up by a seeded generator."""
    dice = random.Random(20_260_101)
    for _ in range(count):
        policy, options = dice.choice(list(policies(dice.choice([1, 50, 100, 333, 1_000]))))
        options = {**options, "maxAttempts": dice.randint(2, 20)}
        if dice.random() < 0.5:
            options["deadlineMs"] = dice.randint(1, 120_000)
        if dice.random() < 0.5:
            options["maxDelayMs"] = dice.randint(0, 100_000)
        if dice.random() < 0.7:
            options["jitter"] = dice.choice(["none", "full", "equal"])
        outcome = {"retryAfterMs": dice.randint(0, 60_000)} if dice.random() < 0.3 else {}
        state = (dice.randint(0, 19), EPOCH + dice.randint(0, 10**6), dice.randint(0, 30_000))
        now = state[1] + dice.randint(-1_000, 100_000)
        out.add("by chance", policy, options, state, now, outcome, dice.choice(DRAWS))


def main():
    out = Vectors()
    rules(out)
    curves(out)
    chance(out, 200)
    lines = ",\n".join(json.dumps(vector) for vector in out)
    Path(__file__).with_name("backoff.json").write_text(f"[\n{lines}\n]\n")
    print(len(out), "vectors")


main()
