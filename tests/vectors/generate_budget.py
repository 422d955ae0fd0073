"""Writes budget.json: walks of a budget, what each step must answer, and the state after it.

The model below follows the formulas of the sources that src/budget names. It keeps every request, retry and accept with the
slot it fell into and every token's coming and going as an exact fraction. Knows nothing of the Rust code.
Usage: python3 tests/vectors/generate_budget.py
"""

import json
import random
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

EPOCH = 1_758_124_800_000
FAILURES = ["transient", "timeout", "throttling", "nonRetryable"]


class Undecided(Exception):
    """f64 could decide the other way: such a walk proves nothing, so it is left out."""


def exact(number):
    return Fraction(str(number))


def apart(left, right):
    """Two numbers that f64 tells apart as exact fractions do."""
    if abs(left - right) < Fraction(1, 10**9):
        raise Undecided
    return left > right


def plain(number):
    return int(number) if number == int(number) else float(number)


@dataclass
class Window:
    """Ten slots; what happened falls into the slot that is the newest then, and is forgotten with it."""

    length: Fraction
    began: Fraction  # the newest slot
    events: list  # [kind, how many slots ago]

    def move(self, now):
        if self.began - now >= self.length:
            self.began = Fraction(now)  # a clock set anew
        passed = max(0, (now - self.began) // (self.length / 10))
        if passed >= 10:
            self.began, self.events = Fraction(now), []
            return
        self.began += passed * self.length / 10
        self.events = [(kind, age + passed) for kind, age in self.events if age + passed < 10]

    def happened(self, kind):
        self.events.append((kind, 0))

    def count(self, kind):
        return sum(1 for event, _ in self.events if event == kind)

    def slots(self, kind):
        return [sum(1 for event in self.events if event == (kind, age)) for age in range(10)]


class RetryBudget:
    # "retries < minRetriesPerSecond * window_in_seconds + ratio * requests"
    def __init__(self, options, now):
        self.ratio = exact(options.get("ratio", 0.2))
        self.per_second = exact(options.get("minRetriesPerSecond", 10))
        self.window = Window(exact(options.get("windowMs", 10_000)), Fraction(now), [])

    def limit(self):
        return self.per_second * self.window.length / 1000 + self.ratio * self.window.count("request")

    def request(self, now, _):
        self.window.move(now)
        self.window.happened("request")
        return True, 0

    def retry(self, now, failure, _):
        self.window.move(now)
        limit, retries = self.limit(), self.window.count("retry")
        allowed = failure != "nonRetryable" and (limit > retries if self.dyadic() else apart(limit, retries))
        if allowed:
            self.window.happened("retry")
        return allowed, 0

    def dyadic(self):
        """Whether f64 computes the limit exactly."""
        ratio = self.ratio if self.window.count("request") else Fraction(0)
        return all((n.denominator & (n.denominator - 1)) == 0 for n in (ratio, self.per_second))

    def succeed(self, now, _):
        self.window.move(now)

    def fail(self, now, _):
        self.window.move(now)

    def state(self):
        return {"start": plain(self.window.began), "requests": self.window.slots("request"), "retries": self.window.slots("retry")}

    def look(self, now):
        self.window.move(now)
        left = self.limit() - self.window.count("retry")
        if left.denominator == 1 and not self.dyadic():
            raise Undecided
        balance = max(0, -(-left.numerator // left.denominator))
        return {"requests": self.window.count("request"), "retries": self.window.count("retry"), "balance": balance}


class AdaptiveThrottle:
    # "max(0, (requests - K * accepts) / (requests + 1))"
    def __init__(self, options, now):
        self.k = exact(options.get("multiplier", 2))
        self.window = Window(exact(options.get("windowMs", 120_000)), Fraction(now), [])

    def probability(self):
        requests, accepts = self.window.count("request"), self.window.count("accept")
        if accepts and requests == self.k * accepts and self.k.denominator not in (1, 2):
            raise Undecided
        return max(Fraction(0), (requests - self.k * accepts) / (requests + 1))

    def request(self, now, drawn):
        self.window.move(now)
        probability = self.probability()
        self.window.happened("request")
        if probability == 0:
            return True, 0
        if probability < Fraction(1, 10**9):
            raise Undecided
        return not apart(probability, exact(drawn)), 1

    def retry(self, now, failure, drawn):
        if failure == "nonRetryable":
            self.window.move(now)
            return False, 0
        return self.request(now, drawn)

    def succeed(self, now, _):
        self.window.move(now)
        self.window.happened("accept")

    def fail(self, now, failure):
        self.window.move(now)
        if failure == "nonRetryable":
            self.window.happened("accept")

    def state(self):
        return {"start": plain(self.window.began), "requests": self.window.slots("request"), "accepts": self.window.slots("accept")}

    def look(self, now):
        self.window.move(now)
        return {"requests": self.window.count("request"), "accepts": self.window.count("accept")}


class TokenBucket:
    def __init__(self, options, _):
        self.capacity = options.get("capacity", 500)
        self.cost = {
            "transient": options.get("retryCost", 5),
            "timeout": options.get("timeoutRetryCost", 10),
            "throttling": options.get("throttlingRetryCost", 5),
        }
        self.increment = options.get("noRetryIncrement", 1)
        self.tokens = self.capacity

    def request(self, *_):
        return True, 0

    def retry(self, _now, failure, _drawn):
        allowed = failure in self.cost and self.cost[failure] <= self.tokens
        if allowed:
            self.tokens -= self.cost[failure]
        return allowed, 0

    def succeed(self, _, retried):
        self.tokens = min(self.capacity, self.tokens + self.cost.get(retried, self.increment))

    def fail(self, *_):
        pass

    def state(self):
        return {"tokens": self.tokens}


class GrpcThrottle:
    # "token_count > (maxTokens / 2)"; a failure -1, a success +tokenRatio, of which three decimal places count.
    def __init__(self, options, _):
        self.most = Fraction(options.get("maxTokens", 10))
        self.ratio = Fraction(exact(options.get("tokenRatio", 0.1)) * 1000 // 1, 1000)
        self.tokens = self.most

    def request(self, *_):
        return True, 0

    def retry(self, _now, failure, _drawn):
        return failure != "nonRetryable" and self.tokens > self.most / 2, 0

    def succeed(self, *_):
        self.tokens = min(self.most, self.tokens + self.ratio)

    def fail(self, _, failure):
        if failure != "nonRetryable":
            self.tokens = max(Fraction(0), self.tokens - 1)

    def state(self):
        return {"milliTokens": plain(self.tokens * 1000)}


KINDS = {
    "retryBudget": RetryBudget,
    "adaptiveThrottle": AdaptiveThrottle,
    "tokenBucket": TokenBucket,
    "grpcThrottle": GrpcThrottle,
}


class Walk:
    def __init__(self, name, kind, options, start=EPOCH):
        self.model, self.now, self.steps = KINDS[kind](options, start), start, []
        self.last = self.model.state()
        self.vector = {"name": name, "budget": kind, "options": options, "start": start, "init": self.last, "steps": self.steps}

    def step(self, what, failure=None, drawn=0, now=None):
        self.now = self.now if now is None else now
        step = {"do": what, "now": self.now}
        if failure is not None:
            step["retried" if what == "succeed" else "failure"] = failure
        expected = {}
        if what in ("request", "retry"):
            step["random"] = drawn
            given = (self.now, failure, drawn) if what == "retry" else (self.now, drawn)
            expected["allowed"], expected["draws"] = getattr(self.model, what)(*given)
        elif what == "look":
            expected["stats"] = self.model.look(self.now)
        else:
            getattr(self.model, what)(self.now, failure)
        state = self.model.state()
        if what != "look" and state != self.last:
            expected["state"] = self.last = state
        self.steps.append({**step, "expected": expected})
        return self


def by_hand(out):
    walk = Walk("a fifth of the requests", "retryBudget", {"ratio": 0.25, "minRetriesPerSecond": 0})
    for _ in range(8):
        walk.step("request")
    for _ in range(3):
        walk.step("retry", "transient")
    walk.step("look").step("look", now=EPOCH + 9_999).step("retry", "transient", now=EPOCH + 10_000)
    out.append(walk.vector)

    walk = Walk("a floor a second, all at once", "retryBudget", {"minRetriesPerSecond": 1, "windowMs": 5_000})
    for _ in range(6):
        walk.step("retry", "timeout")
    walk.step("retry", "nonRetryable", now=EPOCH + 5_000).step("retry", "throttling")
    walk.step("request", now=EPOCH + 4_700).step("request", now=EPOCH - 10**7).step("request", now=EPOCH + 10**9)
    out.append(walk.vector)

    walk = Walk("rejects what the server turns away", "adaptiveThrottle", {})
    for drawn in (0, 0.4, 0.6, 0.7, 0.7):
        walk.step("request", drawn=drawn).step("fail", "throttling")
    for _ in range(3):
        walk.step("succeed").step("retry", "transient", 0.1)
    walk.step("fail", "nonRetryable").step("retry", "nonRetryable", 0.1).step("request", drawn=0.1, now=EPOCH + 119_999)
    walk.step("request", drawn=0.1, now=EPOCH + 250_000).step("look")
    out.append(walk.vector)

    walk = Walk("the standard mode's bucket", "tokenBucket", {"capacity": 20})
    for failure in ("transient", "timeout", "throttling", "transient", "nonRetryable"):
        walk.step("fail", failure).step("retry", failure)
    walk.step("succeed", "timeout").step("succeed").step("succeed", "nonRetryable").step("succeed", "transient")
    walk.step("retry", "timeout").step("request")
    out.append(walk.vector)

    walk = Walk("the proposal's throttle", "grpcThrottle", {"maxTokens": 4, "tokenRatio": 1.6667})
    for failure in ("transient", "nonRetryable", "timeout", "throttling", "transient", "transient"):
        walk.step("fail", failure).step("retry", failure)
    for _ in range(3):
        walk.step("succeed").step("retry", "transient")
    out.append(walk.vector)


def chance(out, count):
    dice = random.Random(11)
    while count > 0:
        kind = dice.choice(list(KINDS))
        options = {
            "retryBudget": lambda: {
                "ratio": dice.choice([0, 0.25, 0.3, 0.5, 2]),
                "minRetriesPerSecond": dice.choice([0, 0.5, 1, 20]),
                "windowMs": dice.choice([10, 200, 10_000]),
            },
            "adaptiveThrottle": lambda: {"multiplier": dice.choice([1, 1.1, 1.5, 2]), "windowMs": dice.choice([20, 500, 120_000])},
            "tokenBucket": lambda: {
                "capacity": dice.choice([10, 17, 40]),
                "retryCost": dice.choice([1, 5, 7]),
                "throttlingRetryCost": dice.choice([2, 5]),
                "noRetryIncrement": dice.choice([0, 1, 3]),
            },
            "grpcThrottle": lambda: {"maxTokens": dice.choice([1, 3, 10]), "tokenRatio": dice.choice([0.001, 0.1, 0.333, 1.5])},
        }[kind]()
        walk = Walk("by chance", kind, options, dice.choice([0, EPOCH, -5]))
        scale = options.get("windowMs", 100)
        try:
            for _ in range(25):
                waits = [0] * 4 + [1, scale // 10, scale // 3, scale, -(scale // 20), -2 * scale]
                now = walk.now + dice.choice(waits)
                what = dice.choice(["request"] * 3 + ["retry"] * 3 + ["succeed", "fail"])
                failure = dice.choice(FAILURES[:3] * 3 + FAILURES[3:])
                if what == "request":
                    walk.step(what, drawn=dice.choice([0, 0.313, 0.557, 0.853]), now=now)
                elif what == "succeed":
                    walk.step(what, dice.choice([None, failure]), now=now)
                else:
                    walk.step(what, failure, dice.choice([0, 0.313, 0.557, 0.853]), now=now)
            if kind in ("retryBudget", "adaptiveThrottle"):
                walk.step("look")
        except Undecided:
            continue
        out.append(walk.vector)
        count -= 1


def main():
    out = []
    by_hand(out)
    chance(out, 60)
    lines = ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in out)
    Path(__file__).with_name("budget.json").write_text(f"[\n{lines}\n]\n")
    print(len(out), "walks,", sum(len(vector["steps"]) for vector in out), "steps")


main()
