"""Writes breaker.json: walks of a circuit breaker, what each step must answer, and the state after it.

The model below follows the reference's sentences. It keeps every call it ever admitted and computes nothing ahead: a run
of failures, a window, a trial are looked up among the calls when they are asked for. Knows nothing of the Rust code.
Usage: python3 tests/vectors/generate_breaker.py
"""

import json
import math
import random
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

EPOCH = 1_758_124_800_000


class Undecided(Exception):
    """f64 could decide the other way: such a walk proves nothing, so it is left out."""


@dataclass
class Call:
    """One that was admitted, or whose outcome was reported without saying by what."""

    ended: int = None
    result: str = None
    slow: bool = False


@dataclass
class Period:
    status: str
    began: int
    calls: list = field(default_factory=list)
    length: int = 0  # of an opening


class Model:
    def __init__(self, kind, options, now):
        self.kind, self.options = kind, options
        self.open_ms = options["openMs"]
        self.probes = options.get("halfOpenProbes", 1)
        self.enough = options.get("successThreshold", self.probes)
        self.half_open_ms = options.get("halfOpenMs", self.open_ms)
        self.periods = [Period("closed", now)]

    @property
    def period(self):
        return self.periods[-1]

    # "closed --(enough failures)--> open --(openMs elapsed)--> halfOpen --(enough probes succeed)--> closed"

    def request(self, now, peek=False):
        period = self.period
        elapsed = max(0, now - period.began)  # "Elapsed time is clamped at zero."
        if period.status == "open":
            fresh, free, length = True, False, period.length
        elif period.status == "halfOpen":
            # "calls admitted per trial"; a probe whose outcome is ignored gives its slot back.
            taken = [call for call in period.calls if call.result != "ignored"]
            free, length = len(taken) < self.probes, self.half_open_ms
            # "how long a trial waits for its probes before starting a fresh one"
            fresh = not free or any(call.result is None for call in taken)
        else:
            fresh, free, length = False, True, 0
        fresh = fresh and elapsed >= length
        if not (fresh or free):
            return {"ok": False, "status": period.status, "retryAfterMs": length - elapsed}, None
        status = "closed" if period.status == "closed" else "halfOpen"
        if peek:
            return {"ok": True, "status": status, "retryAfterMs": 0}, None
        if fresh:
            self.periods.append(Period("halfOpen", now))
        call = Call()
        self.period.calls.append(call)
        return {"ok": True, "status": status, "retryAfterMs": 0}, (self.period, call)

    def report(self, now, result, took, ticket, draw):
        period = self.period
        if period.status == "open":
            return "stale"  # "Outcomes recorded while the breaker is open are ignored"
        if ticket:
            if ticket[0] is not period:
                return "stale"  # it was admitted before the breaker moved on
            call = ticket[1]
        elif period.status == "halfOpen":
            out = [call for call in period.calls if call.result is None]
            if not out:
                return "stale"  # no probe is outstanding that it could be from
            call = out[0]
        else:
            call = Call()
            period.calls.append(call)
        call.ended, call.result = now, result
        call.slow = took is not None and took > self.options.get("slowCallMs", math.inf)
        if result == "ignored":
            return "ignored"
        failed = result == "failure" or call.slow and self.kind == "rollingBreaker"
        if period.status == "halfOpen":
            if failed:
                self.open(now, draw)
            elif len([call for call in period.calls if call.result == "success"]) >= self.enough:
                self.periods.append(Period("closed", now))
        elif failed and self.trips(now, call):
            self.open(now, draw)
        return "counted"

    def open(self, now, draw):
        length = Fraction(self.open_ms)
        if "openGrowth" in self.options:
            growth, n = self.options["openGrowth"], self.openings() + 1
            if growth["curve"] == "exponential":
                length *= Fraction(growth["factor"]) ** (n - 1)
            elif growth["curve"] == "fibonacci":
                a, b = 0, 1
                for _ in range(n):
                    a, b = b, a + b
                length *= a
            elif growth["curve"] == "linear":
                length *= n
            else:
                before = [period.length for period in self.periods if period.status == "open"]
                before = before[-1] if n > 1 and before else self.open_ms
                length += Fraction(draw) * (max(before, self.open_ms) * Fraction(growth["factor"]) - self.open_ms)
            length = min(length, growth["maxOpenMs"])
        if self.options.get("openJitter") and self.options.get("openGrowth", {}).get("curve") != "decorrelatedJitter":
            length *= 1 + Fraction(self.options["openJitter"]) * Fraction(draw)
        whole = math.floor(length)
        if abs(length - whole - Fraction(1, 2)) < Fraction(1, 10**6):
            raise Undecided
        self.periods.append(Period("open", now, length=whole + (length - whole > Fraction(1, 2))))

    def openings(self):
        """In a row: since the last closing. Counted only where the open time grows."""
        if "openGrowth" not in self.options:
            return 0
        count = 0
        for period in reversed(self.periods):
            if period.status == "closed":
                break
            count += period.status == "open"
        return count

    # When to trip.

    def trips(self, now, last):
        if self.kind == "consecutiveBreaker":
            return self.run() >= self.options["failureThreshold"]
        prev, curr, elapsed = self.window(now)
        # "two buckets, with the previous one weighted by how much of it still overlaps"
        weight = max(Fraction(0), 1 - Fraction(elapsed) / self.options["windowMs"])

        def estimate(is_so):
            return weight * sum(map(is_so, prev)) + sum(map(is_so, curr))

        calls = estimate(lambda call: True)
        failures, slow = estimate(lambda call: call.result == "failure"), estimate(lambda call: call.slow)
        limits = [(calls, self.options.get("minimumThroughput", 20))]
        limits += [(failures / calls, Fraction(self.options.get("failureRatio", 0.5)))]
        limits += [(slow / calls, Fraction(self.options.get("slowRatio", 1)))]
        if prev and any(abs(value - limit) < Fraction(1, 10**9) for value, limit in limits):
            raise Undecided
        throughput, unwell, crawls = (value >= limit for value, limit in limits)
        return throughput and (last.result == "failure" and unwell or last.slow and crawls)

    def ledger(self):
        """The last closed period, and its calls that count, in the order they ended; empty once a trial has closed it."""
        period = [period for period in self.periods if period.status == "closed"][-1]
        return period, [call for call in period.calls if call.result in ("success", "failure")]

    def run(self):
        """"failures in a row; any success resets the count"."""
        count = 0
        for call in sorted(self.ledger()[1], key=lambda call: call.ended):
            count = count + 1 if call.result == "failure" else 0
        return count

    def window(self, now):
        """The two buckets that hold now, and how far into the second now is."""
        period, calls = self.ledger()
        start, size = period.began, self.options["windowMs"]
        for ended in sorted(call.ended for call in calls):
            if ended - start >= 2 * size:
                start = ended
            elif ended - start >= size:
                start += size
        prev = [call for call in calls if start - size <= call.ended < start]
        curr = [call for call in calls if call.ended >= start]
        return prev, curr, now - start

    def state(self):
        period = self.period
        trial = period.calls if period.status == "halfOpen" else []
        before = self.periods[-2] if len(self.periods) > 1 else None
        succeeded = before.calls if period.status == "closed" and before else trial
        state = {
            "status": period.status,
            "changedAt": period.began,
            "probes": len([call for call in trial if call.result != "ignored"]),
            "successes": len([call for call in succeeded if call.result == "success"]),
        }
        if self.kind == "consecutiveBreaker":
            state["failures"] = self.run()
        else:
            closed, calls = self.ledger()
            last = max((call.ended for call in calls), default=closed.began)
            prev, curr, elapsed = self.window(last)
            state["start"] = last - elapsed
            for name, bucket in (("prev", prev), ("curr", curr)):
                state[f"{name}Ok"] = len([call for call in bucket if call.result == "success"])
                state[f"{name}Fail"] = len([call for call in bucket if call.result == "failure"])
            for name, bucket in (("prevSlow", prev), ("currSlow", curr)):
                if any(call.slow for call in bucket):
                    state[name] = len([call for call in bucket if call.slow])
        if self.openings():
            state["openings"] = self.openings()
        opening = [period for period in self.periods if period.status == "open"]
        if period.status != "closed" and opening[-1].length > self.open_ms:
            state["openForMs"] = opening[-1].length
        return state


class Walk:
    """Steps on a clock that moves between them, so that each transition has a moment of its own."""

    def __init__(self, name, kind, options):
        self.now, self.start = EPOCH, EPOCH
        self.model = Model(kind, options, EPOCH)
        self.vector = {"name": name, "breaker": kind, "options": options, "start": EPOCH, "steps": []}
        self.out, self.state = [], None

    def add(self, step, expected):
        before, self.state = self.state, self.model.state()
        if self.state != before:
            expected = {**expected, "state": self.state}
        self.vector["steps"].append({**step, "expected": expected})

    def wait(self, ms):
        self.now += max(1, ms)

    def request(self):
        verdict, ticket = self.model.request(self.now)
        if ticket:
            self.out.append((len(self.vector["steps"]), ticket))
        self.add({"do": "request", "now": self.now}, {"verdict": verdict})
        return verdict["ok"]

    def peek(self, now):
        self.add({"do": "peek", "now": now}, {"verdict": self.model.request(now, peek=True)[0]})

    def report(self, result, admitted=None, took=None, draw=0):
        """`admitted` is one of `out`; without it the outcome does not say which call it is of."""
        step = {"do": "report", "now": self.now, "result": result}
        if admitted:
            step["admittedBy"] = admitted[0]
        if took is not None:
            step["tookMs"] = took
        step["random"] = draw
        self.add(step, {"reported": self.model.report(self.now, result, took, admitted and admitted[1], draw)})
        if not admitted:  # no call is reported twice
            self.out = [out for out in self.out if out[1][1].result is None]

    def call(self, result, **more):
        if self.request():
            self.wait(1)
            self.report(result, self.out.pop(), **more)
        self.wait(1)


def by_hand(out):
    """The reference's sentences, one walk each."""
    kinds = [
        ("consecutiveBreaker", {"failureThreshold": 3}),
        ("rollingBreaker", {"windowMs": 10_000, "minimumThroughput": 3}),
    ]
    for kind, options in kinds:
        walk = Walk("closed, open, half-open, closed", kind, {**options, "openMs": 1_000})
        for _ in range(3):
            walk.call("failure")
        walk.request()
        walk.peek(walk.now - 500)
        walk.peek(walk.now - 3_600_000)
        walk.wait(998)
        walk.request()
        walk.wait(5)
        walk.call("success")
        walk.call("failure")
        out.append(walk.vector)

        walk = Walk("a failing probe opens it again, for longer each time", kind,
                    {**options, "openMs": 1_000, "openGrowth": {"curve": "exponential", "factor": 2, "maxOpenMs": 5_000}})
        for _ in range(3):
            walk.call("failure")
        for _ in range(5):
            walk.wait(5_000)
            walk.call("failure")
            walk.peek(walk.now)
        walk.wait(5_000)
        walk.call("success")
        for _ in range(3):
            walk.call("failure")
        out.append(walk.vector)

        walk = Walk("a stranded trial is renewed after halfOpenMs", kind, {**options, "openMs": 1_000, "halfOpenMs": 300})
        for _ in range(3):
            walk.call("failure")
        walk.wait(1_000)
        for _ in range(3):
            walk.request()
            walk.wait(299)
            walk.request()
            walk.wait(1)
        late, last = walk.out[0], walk.out[-1]
        walk.report("success", late)
        walk.report("failure", late)
        walk.wait(1)
        walk.report("success", last)
        out.append(walk.vector)

        walk = Walk("two of three probes close it; an ignored one gives its slot back", kind,
                    {**options, "openMs": 1_000, "halfOpenProbes": 3, "successThreshold": 2})
        for _ in range(3):
            walk.call("failure")
        walk.wait(1_000)
        for _ in range(4):
            walk.request()
            walk.wait(1)
        walk.report("ignored", walk.out[0])
        walk.request()
        walk.wait(1)
        walk.report("success", walk.out[1])
        walk.wait(1)
        walk.report("success", walk.out[2])
        walk.wait(1)
        walk.report("failure", walk.out[3])
        walk.report("failure")
        out.append(walk.vector)

        walk = Walk("an outcome reported while it is open is ignored", kind, {**options, "openMs": 1_000})
        for _ in range(5):
            walk.request()
            walk.wait(1)
        for admitted in list(walk.out):
            walk.report("failure", admitted)
            walk.wait(1)
        walk.report("success")
        out.append(walk.vector)
    walk = Walk("any success resets the count", "consecutiveBreaker", {"failureThreshold": 3, "openMs": 1_000})
    for result in ("failure", "failure", "success", "failure", "failure", "ignored", "failure"):
        walk.call(result)
    out.append(walk.vector)
    walk = Walk("minimumThroughput stops one failed call", "rollingBreaker", {"windowMs": 30_000, "openMs": 30_000})
    for call in range(21):
        walk.call("failure" if call % 2 == 0 else "success")
    out.append(walk.vector)
    walk = Walk("the window forgets", "rollingBreaker", {"windowMs": 1_000, "minimumThroughput": 4, "openMs": 1_000})
    for pause in (0, 0, 0, 995, 1_005, 3_000, 0, 0):
        walk.wait(pause)
        walk.call("failure")
    out.append(walk.vector)
    walk = Walk("slow calls", "rollingBreaker",
                {"windowMs": 5_000, "minimumThroughput": 4, "openMs": 700, "slowCallMs": 200, "slowRatio": 0.5})
    for took in (200, 201, None, 500):
        walk.call("success", took=took)
    walk.wait(700)
    walk.call("success", took=201)
    out.append(walk.vector)


def chance(out, count):
    dice = random.Random(20_260_103)
    while count:
        options = {"openMs": dice.choice([1, 30, 40, 250])}
        if dice.random() < 0.5:
            options["halfOpenProbes"] = dice.randint(1, 3)
            options["successThreshold"] = dice.randint(1, options["halfOpenProbes"])
        if dice.random() < 0.4:
            options["halfOpenMs"] = dice.choice([1, 25, 400])
        if dice.random() < 0.5:
            curve = dice.choice(["exponential", "fibonacci", "linear", "decorrelatedJitter"])
            options["openGrowth"] = {"curve": curve, "maxOpenMs": options["openMs"] * dice.choice([1, 3, 10])}
            if curve in ("exponential", "decorrelatedJitter"):
                options["openGrowth"]["factor"] = dice.choice([1, 1.5, 2, 3])
        if dice.random() < 0.3:
            options["openJitter"] = dice.choice([0.2, 1])
        if dice.random() < 0.5:
            kind = "consecutiveBreaker"
            options["failureThreshold"] = dice.randint(1, 4)
        else:
            kind = "rollingBreaker"
            options["windowMs"] = dice.choice([20, 64, 100])
            options["minimumThroughput"] = dice.randint(1, 6)
            options["failureRatio"] = dice.choice([0.1, 0.3, 0.5, 0.75, 1])
            if dice.random() < 0.5:
                options.update(slowCallMs=10, slowRatio=dice.choice([0.25, 0.5, 1]))
        walk = Walk("by chance", kind, options)
        try:
            for _ in range(30):
                walk.wait(dice.randint(options["openMs"], 3 * options["openMs"]) if dice.random() < 0.15 else dice.randint(1, 12))
                roll = dice.random()
                if roll < 0.45:
                    walk.request()
                elif roll < 0.5:
                    walk.peek(walk.now - dice.choice([0, 3, 10**6]))
                else:
                    result = dice.choice(["success"] * 4 + ["failure"] * 5 + ["ignored"])
                    took = dice.choice([None, 3, 10, 11, 60])
                    admitted = walk.out.pop(dice.randrange(len(walk.out))) if walk.out and dice.random() < 0.9 else None
                    walk.report(result, admitted, took, dice.choice([0, 0.25, 0.5, 0.875]))
        except Undecided:
            continue
        out.append(walk.vector)
        count -= 1


def main():
    out = []
    by_hand(out)
    chance(out, 80)
    lines = ",\n".join(json.dumps(vector, separators=(",", ":")) for vector in out)
    Path(__file__).with_name("breaker.json").write_text(f"[\n{lines}\n]\n")
    print(len(out), "walks,", sum(len(vector["steps"]) for vector in out), "steps")


main()
