# SPDX-License-Identifier: Apache-2.0
"""Proposes points for `levee explore`, which starts it.

The first are a Latin hypercube. Then every other proposal is the multivariate TPE sampler's of Optuna, which takes
neighbours on an axis to be alike, and every other a neighbour of the front: one of its points, but for one value. They
find what stands alone, where the sampler sees no slope towards it.

It reads requests from stdin and answers each with a line of JSON on stdout:

    {"dimensions": [{"values": 5, "ordered": true}, ...], "objectives": 2, "seed": 1}      {}
    {"start": 20} or {"ask": 4} or {"draw": 1}   {"proposals": [{"id": 0, "place": [3, 0.25]}, ...]}
    {"tell": [{"id": 0, "values": [1.5, -2.0], "withdrawn": false}, ...]}                    {}

A place has an index for each dimension, or, where "values" is 0, a fraction from 0 to below 1. Of values, larger is
better; null: the point cannot be used; withdrawn: an equal proposal is still to be told of. Every proposal is told of
once. {"error": "..."} answers what fails.

For an exploration whose workers share a log, these requests take the place of the last three. A proposal is a function of the seed, of all
that was learned, of the worker, and of the number of its attempts:

    {"learn": [{"trial": 0, "place": [3, 0.25]}, {"ended": 0, "values": [1.5, -2.0]}, null, ...]}    {}
    {"propose": 0, "by": "points-3-of-64"}                                           {"place": [1, 0.5]}
"""
import hashlib
import itertools
import json
import random
import sys
import warnings

warnings.simplefilter("ignore")
try:
    import optuna
except ImportError:
    optuna = None

DRAWS = 20  # Draws of a neighbour until one is new.
BELOW_ONE = 1.0 - 2.0**-53


class Optimiser:
    """Optuna's study, and the proposals that wait for their values."""

    def __init__(self, dimensions, objectives, seed):
        self.dimensions = dimensions
        self.random = random.Random(seed)
        self.distributions = {str(i): distribution(dimension) for i, dimension in enumerate(dimensions)}
        self.study = optuna.create_study(directions=["maximize"] * objectives, sampler=sampler(seed))
        self.turns = itertools.cycle([self.sampled, self.neighbour])
        self.waiting = {}
        self.withheld = []  # places that cannot be used, while nothing is known that can
        self.known = {}  # Values by place.
        self.front = {}  # Entries that no other dominates, in the same order.
        self.worst = None
        self.count = 0

    def propose(self, place, trial=None):
        """The answer for a place, which then waits for its values."""
        number = self.count
        self.count += 1
        self.waiting[number] = (place, trial)
        return {"id": number, "place": place}

    def value(self, dimension, fraction):
        return int(fraction * dimension["values"]) if dimension["values"] else min(fraction, BELOW_ONE)

    def start(self, number):
        """A Latin hypercube: on each dimension every one of `number` equal parts is drawn from once."""
        columns = []
        for dimension in self.dimensions:
            parts = list(range(number))
            self.random.shuffle(parts)
            columns.append([self.value(dimension, (part + self.random.random()) / number) for part in parts])
        return [self.propose(list(place)) for place in zip(*columns)]

    def draw(self, number):
        return [self.drawn() for _ in range(number)]

    def ask(self, number):
        return [next(self.turns)() if self.known else self.drawn() for _ in range(number)]

    def drawn(self):
        return self.propose([self.value(dimension, self.random.random()) for dimension in self.dimensions])

    def sampled(self):
        trial = self.study.ask(self.distributions)
        return self.propose([trial.params[name] for name in self.distributions], trial)

    def neighbour(self):
        """A point of the front, but for one value, which is drawn."""
        front = list(self.front)
        for _ in range(DRAWS):
            place = list(self.random.choice(front))
            changed = self.random.randrange(len(place))
            place[changed] = self.value(self.dimensions[changed], self.random.random())
            if tuple(place) not in self.known:
                break
        return self.propose(place)

    def keep_front(self, place, values):
        """A place that cannot be used may be told of again, when the worst has become worse. It then leaves the front,
        and none returns: of those that can be used one is as good as it was."""
        if self.known.get(place, values) != values:
            self.front.pop(place, None)
        if any(dominates(other, values) for other in self.front.values()):
            return
        self.front = {one: own for one, own in self.front.items() if not dominates(values, own)}
        self.front[place] = values

    def learn(self, place, trial, values):
        self.keep_front(tuple(place), values)
        self.known[tuple(place)] = values
        if trial is not None:
            self.study.tell(trial, values)
            return
        params = dict(zip(self.distributions, place))
        self.study.add_trial(
            optuna.trial.create_trial(params=params, distributions=self.distributions, values=values))

    def tell(self, answers):
        """What cannot be used counts as bad as the worst known in every objective."""
        known = [answer["values"] for answer in answers if answer["values"] is not None]
        if known:
            known += [self.worst] if self.worst is not None else []
            self.worst = [min(values) for values in zip(*known)]
        told = []
        for answer in answers:
            place, trial = self.waiting.pop(answer["id"])
            if not answer["withdrawn"]:
                told.append((place, trial, answer["values"]))
            elif trial is not None:
                self.study.tell(trial, state=optuna.trial.TrialState.FAIL)
        self.withheld += told
        if self.worst is None:
            return
        for place, trial, values in self.withheld:
            self.learn(place, trial, values if values is not None else self.worst)
        self.withheld = []


class InFlight(Optimiser):
    """Proposes while other trials run. Every worker has learned the same in the same order."""

    most_asked = 8  # attempts until places are drawn at random

    def __init__(self, dimensions, objectives, seed):
        super().__init__(dimensions, objectives, seed)
        self.seed = seed
        self.learned = 0

    def learn_entries(self, entries):
        for entry in entries:
            self.learned += 1
            if entry is None:
                continue
            if "place" in entry:
                self.begin(entry["trial"], entry["place"])
            else:
                self.tell([{"id": entry["ended"], "values": entry["values"], "withdrawn": False}])

    def begin(self, number, place):
        """The trial counts as running for the sampler, which then avoids its neighbourhood."""
        self.study.sampler = optuna.samplers.RandomSampler(seed=0)
        self.study.enqueue_trial(dict(zip(self.distributions, place)))
        self.waiting[number] = (place, self.study.ask(self.distributions))

    def place(self, attempt, worker):
        key = f"{self.seed}/{self.learned}/{worker}/{attempt}"
        self.random = random.Random(key)
        if not self.known or attempt >= self.most_asked:
            return self.drawn()["place"]
        if (self.learned + attempt) % 2:
            return self.neighbour()["place"]
        seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")
        self.study.sampler = sampler(seed)
        trial = self.study.ask(self.distributions)
        self.study.tell(trial, state=optuna.trial.TrialState.FAIL)
        return [trial.params[name] for name in self.distributions]

    def propose(self, place, trial=None):
        return {"place": place}


def sampler(seed):
    return optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True, n_startup_trials=1)


def dominates(a, b):
    return all(x >= y for x, y in zip(a, b)) and any(x > y for x, y in zip(a, b))


def distribution(dimension):
    values = dimension["values"]
    if values == 0:
        return optuna.distributions.FloatDistribution(0.0, BELOW_ONE)
    if dimension["ordered"]:
        return optuna.distributions.IntDistribution(0, values - 1)
    return optuna.distributions.CategoricalDistribution(list(range(values)))


def answer_to(optimiser, request):
    for name in ("start", "ask", "draw"):
        if name in request:
            return {"proposals": getattr(optimiser, name)(request[name])}
    optimiser.tell(request["tell"])
    return {}


def answer_in_flight(optimiser, request):
    if "learn" in request:
        optimiser.learn_entries(request["learn"])
        return {}
    return {"place": optimiser.place(request["propose"], request["by"])}


def serve():
    space = json.loads(sys.stdin.readline())
    space = (space["dimensions"], space["objectives"], space["seed"])
    optimiser = Optimiser(*space)
    in_flight = InFlight(*space)
    print("{}", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        if "learn" in request or "propose" in request:
            answer = answer_in_flight(in_flight, request)
        else:
            answer = answer_to(optimiser, request)
        print(json.dumps(answer), flush=True)


def main():
    if optuna is None:
        print(json.dumps({"error": "'levee explore' needs Optuna: apt-get install python3-optuna"}), flush=True)
        return 1
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        serve()
    except Exception as error:  # The error is sent to the caller.
        print(json.dumps({"error": f"the optimiser failed: {type(error).__name__}: {error}"}), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
