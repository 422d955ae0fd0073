"""Writes operation.json: walks of one operation, what each step must answer, and the operation after it.

The model below follows the sentences of src/operation. It keeps the moments and reports of every attempt and works out phase,
retry state and history from them. Knows nothing of the Rust code.
Usage: python3 tests/vectors/generate_operation.py
"""

import copy
import json
import math
import random
from pathlib import Path

EPOCH = 1_758_124_800_000
LAST_DATE = 8.64e15
LOST = {"ok": False, "error": "the process ended during the attempt"}


def date(moment):
    moment = max(-LAST_DATE, min(LAST_DATE, moment))
    return int(moment) if moment == int(moment) else moment


def clip(text):
    """At most 200 bytes of UTF-8, cut between characters."""
    while len(text.encode()) > 200:
        text = text[:-1]
    return text


class Policy:
    """constant or exponential without jitter: "base * factor ^ (n - 1)", capped, not below Retry-After."""

    def __init__(self, options):
        self.options = options

    def decide(self, failures_before, started, now, outcome):
        """("retry", delay) or ("stop", reason)."""
        options, made = self.options, failures_before + 1
        elapsed = max(0, now - started)
        deadline = options.get("deadlineMs", math.inf)
        floor = math.ceil(max(0, outcome.get("retryAfterMs", 0)))
        if not outcome.get("retryable", True):
            return "stop", "nonRetryable"
        if made >= options.get("maxAttempts", math.inf):
            return "stop", "maxAttempts"
        base = options.get("baseMs", options.get("delayMs"))
        curve = base * options.get("factor", 2) ** (made - 1) if "baseMs" in options else base
        delay = max(min(curve, options.get("maxDelayMs", 30_000)), floor)
        return ("stop", "deadline") if elapsed + delay >= deadline else ("retry", delay)


class Model:
    def __init__(self, policy, now, dead_man):
        self.policy, self.dead_man = policy, dead_man
        self.state = {"attempts": 0, "startedAt": now, "prevDelayMs": 0}
        self.phase = {"status": "waiting", "due": date(now)}
        self.history = []

    def operation(self):
        return copy.deepcopy({"phase": self.phase, "state": self.state, "history": self.history[-32:]})

    def alarm(self):
        return self.phase.get("due", self.phase.get("until"))

    def ended(self, now, report, delay=None):
        record = {
            "attempt": self.state["attempts"] + 1,
            "startedAt": self.phase["since"],
            "tookMs": max(0, now - self.phase["since"]),
        }
        if "status" in report:
            record["status"] = report["status"]
        if "error" in report:
            record["error"] = clip(report["error"])
        if "retryAfterMs" in report.get("outcome", {}):
            record["retryAfterMs"] = math.ceil(report["outcome"]["retryAfterMs"])
        if delay is not None:
            record["delayMs"] = delay
        self.history.append(record)

    def wake(self, now):
        """The ticket of an attempt to be made."""
        if self.phase["status"] == "waiting" and now >= self.phase["due"]:
            self.phase = {"status": "running", "since": date(now), "until": date(now + self.dead_man)}
            return self.ticket()
        if self.phase["status"] == "running" and now >= self.phase["until"]:
            self.settle(now, self.ticket(), LOST)
        return None

    def ticket(self):
        return self.state["startedAt"], self.state["attempts"] + 1, self.phase["since"]

    def settle(self, now, ticket, report):
        if self.phase["status"] != "running" or ticket != self.ticket():
            return  # "it is void once the operation has moved on"
        made = self.state["attempts"] + 1
        if report["ok"]:
            self.ended(now, report)
            self.phase = {"status": "delivered", "at": date(now), "attempts": made}
            return
        what, value = self.policy.decide(made - 1, self.state["startedAt"], now, report.get("outcome", {}))
        if what == "stop":
            self.ended(now, report)
            self.phase = {"status": "gaveUp", "at": date(now), "reason": value, "attempts": made}
        else:
            self.ended(now, report, value)
            self.state = {**self.state, "attempts": made, "prevDelayMs": value}
            self.phase = {"status": "waiting", "due": date(now + value)}

    def postpone(self, now, until):
        if self.phase["status"] != "waiting":
            return
        until = max(date(until), self.phase["due"])
        if max(0, until - self.state["startedAt"]) < self.policy.options.get("deadlineMs", math.inf):
            self.phase = {"status": "waiting", "due": until}
        else:
            attempts = self.state["attempts"]
            self.phase = {"status": "gaveUp", "at": date(now), "reason": "deadline", "attempts": attempts}

    def cancel(self, now):
        if self.alarm() is None:
            return
        if self.phase["status"] == "running":
            self.ended(now, {"error": "cancelled while it was being made"})
        self.phase = {"status": "cancelled", "at": date(now)}


class Walk:
    def __init__(self, name, options, start=EPOCH, dead_man=15_000):
        self.model, self.now, self.steps, self.tickets = Model(Policy(options), start, dead_man), start, [], {}
        self.last = self.model.operation()
        self.vector = {
            "name": name,
            "policy": "exponential" if "baseMs" in options else "constant",
            "options": options,
            "deadManMs": dead_man,
            "start": start,
            "started": self.last,
            "steps": self.steps,
        }

    def _step(self, step, expected):
        operation = self.model.operation()
        if operation != self.last:
            expected["operation"] = self.last = operation
        expected["alarm"] = self.model.alarm()
        self.steps.append({**step, "expected": expected})
        return self

    def wake(self, wait=0):
        self.now += wait
        ticket = self.model.wake(self.now)
        if ticket is not None:
            self.tickets[len(self.steps)] = ticket
        return self._step({"do": "wake", "now": self.now}, {"attempt": ticket and ticket[1]})

    def settle(self, wait, ok=False, ticket=None, **report):
        self.now += wait
        index = max(self.tickets) if ticket is None else ticket
        report = {"ok": ok, **report}
        self.model.settle(self.now, self.tickets[index], report)
        return self._step({"do": "settle", "now": self.now, "ticket": index, "report": report}, {})

    def postpone(self, wait, by):
        self.now += wait
        self.model.postpone(self.now, self.now + by)
        return self._step({"do": "postpone", "now": self.now, "until": self.now + by}, {})

    def cancel(self, wait=0):
        self.now += wait
        self.model.cancel(self.now)
        return self._step({"do": "cancel", "now": self.now}, {})


def by_hand(out):
    quick = {"baseMs": 100, "maxAttempts": 4}
    walk = Walk("fails twice, then is delivered", quick).wake().settle(40, status=503, outcome={"retryAfterMs": 1_500.25})
    out.append(walk.wake(100).wake(1_401).settle(7, error="Error: no connection").wake(200).settle(3, True, status=204).wake())
    walk = Walk("all attempts spent", {"delayMs": 5, "maxAttempts": 2}).wake().settle(1, status=500).wake(5)
    out.append(walk.settle(1, status=500, outcome={"retryable": True}).wake(9).cancel())
    walk = Walk("what will not be otherwise next time", quick).wake()
    out.append(walk.settle(2, status=404, outcome={"retryable": False, "retryAfterMs": 10}).postpone(0, 5))
    walk = Walk("lost with its process, twice", {"delayMs": 50, "maxAttempts": 3}, dead_man=6_000).wake().wake(5_999).wake(1)
    out.append(walk.settle(0, True, ticket=0).wake(50).wake(6_000).settle(5, True).wake(50).settle(1, True))
    out.append(Walk("cancelled while waiting", quick).cancel(5).wake(9).cancel())
    out.append(Walk("cancelled while running", quick).wake().cancel(30).settle(5, True, status=200))
    walk = Walk("a deadline that the wait does not meet", {"delayMs": 400, "deadlineMs": 1_000}).wake().settle(100).wake(400)
    out.append(walk.settle(100))
    walk = Walk("put off, and past its deadline", {"delayMs": 10, "deadlineMs": 10_000}).postpone(5, 3_000).wake(2_999)
    out.append(walk.postpone(0, -50).wake(1).postpone(0, 9_000).settle(1).postpone(0, 6_993).postpone(0, 6_994))
    walk = Walk("put off without an end", {"delayMs": 10, "maxAttempts": 9}).postpone(0, 9e15).cancel()
    out.append(walk)
    out.append(Walk("a wait past every date", quick).wake().settle(1, outcome={"retryAfterMs": 9e15}))
    walk = Walk("an error without an end", quick).wake().settle(1, error="x" + "é" * 150).wake(100)
    out.append(walk.settle(1, error="𝄞" * 60).wake(200).settle(1, error="a" * 200))
    out.append(Walk("a clock that was set back", quick).wake(-5_000).wake(5_000).settle(-900, status=502).wake(99).wake(1))
    walk = Walk("a history of the newest 32", {"delayMs": 1, "maxAttempts": 40})
    for attempt in range(36):
        walk.wake(1).settle(2, status=500 + attempt)
    out.append(walk)
    out.append(Walk("before 1970", {"delayMs": 7, "maxAttempts": 2}, start=-100).wake().settle(50).wake(7).settle(60, True))


def chance(out, count):
    dice = random.Random(5)
    for _ in range(count):
        options = {"delayMs": dice.choice([0, 5, 300])} if dice.random() < 0.5 else {"baseMs": 20, "factor": dice.choice([1, 3])}
        options["maxAttempts"] = dice.randint(1, 8)
        if dice.random() < 0.5:
            options["deadlineMs"] = dice.choice([50, 2_000, 60_000])
        options["maxDelayMs"] = dice.choice([1, 150, 30_000])
        walk = Walk("by chance", options, dead_man=dice.choice([5_001, 15_000]))
        for _ in range(20):
            wait = dice.choice([0, 1, 5, 20, 60, 300, 5_001, 20_000, -30])
            roll = dice.random()
            if roll < 0.5 or not walk.tickets:
                walk.wake(wait)
            elif roll < 0.85:
                report = dice.choice([{}, {"status": 503}, {"outcome": {"retryAfterMs": 80}}, {"error": "Error: gone"}])
                if dice.random() < 0.1:
                    report = {"outcome": {"retryable": False}}
                ok = dice.random() < 0.2
                if ok:
                    report = {"status": 200}
                walk.settle(wait, ok, dice.choice([None, dice.choice(list(walk.tickets))]), **report)
            elif roll < 0.97:
                walk.postpone(wait, dice.choice([0, 100, 5_000, 70_000]))
            else:
                walk.cancel(wait)
        out.append(walk)


def main():
    out = []
    by_hand(out)
    chance(out, 50)
    vectors = [walk.vector for walk in out]
    lines = ",\n".join(json.dumps(vector, separators=(",", ":"), ensure_ascii=False) for vector in vectors)
    Path(__file__).with_name("operation.json").write_text(f"[\n{lines}\n]\n")
    print(len(vectors), "walks,", sum(len(vector["steps"]) for vector in vectors), "steps")


main()
