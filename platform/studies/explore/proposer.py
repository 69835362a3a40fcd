# SPDX-License-Identifier: Apache-2.0
"""Proposes points for `levee explore`, which starts it.

The first points are a Latin hypercube. After that, two methods take turns. One is Optuna's multivariate TPE sampler,
which assumes that neighbours on an axis are alike. The other proposes a neighbour of the Pareto front: a point of the
front with one value changed. It finds isolated good points, towards which the sampler sees no slope.

It reads requests from stdin and answers each with a line of JSON on stdout:

    {"dimensions": [{"values": 5, "ordered": true}, ...], "objectives": 2, "seed": 1}      {}
    {"start": 20} or {"ask": 4} or {"draw": 1}   {"proposals": [{"id": 0, "place": [3, 0.25]}, ...]}
    {"tell": [{"id": 0, "values": [1.5, -2.0], "withdrawn": false}, ...]}                    {}

A place has an index for each dimension or, if "values" is 0, a fraction from 0 to below 1. Larger values of an
objective are better, and null means that the point cannot be used. "withdrawn" means that an earlier, equal proposal
will be told. Every proposal is told once. The answer to a request that fails is {"error": "..."}.

If the workers of an exploration share a log, these requests replace the last three. A proposal then depends only on the
seed, on everything learned, on the worker, and on the number of its attempts:

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

DRAWS = 20  # attempts to find a new neighbour
BELOW_ONE = 1.0 - 2.0**-53


class Optimiser:
    """Proposes places: Optuna's study, and the proposals that have no values yet."""

    def __init__(self, dimensions, objectives, seed):
        self.dimensions = dimensions
        self.random = random.Random(seed)
        self.distributions = {str(i): distribution(dimension) for i, dimension in enumerate(dimensions)}
        self.study = optuna.create_study(directions=["maximize"] * objectives, sampler=sampler(seed))
        self.turns = itertools.cycle([self.sampled, self.neighbour])
        self.waiting = {}
        self.withheld = []  # unusable places, which Optuna learns when a usable one is known
        self.known = {}  # values by place
        self.front = {}  # entries that no other dominates, in the same order
        self.worst = None
        self.count = 0

    def propose(self, place, trial=None):
        """Returns a proposal for a place, and remembers it until its values are told."""
        number = self.count
        self.count += 1
        self.waiting[number] = (place, trial)
        return {"id": number, "place": place}

    def value(self, dimension, fraction):
        return int(fraction * dimension["values"]) if dimension["values"] else min(fraction, BELOW_ONE)

    def start(self, number):
        """Returns a Latin hypercube: each dimension is divided into `number` equal parts, and each part gets one
        point."""
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
        """Returns a point of the front with one of its values drawn again."""
        front = list(self.front)
        for _ in range(DRAWS):
            place = list(self.random.choice(front))
            changed = self.random.randrange(len(place))
            place[changed] = self.value(self.dimensions[changed], self.random.random())
            if tuple(place) not in self.known:
                break
        return self.propose(place)

    def keep_front(self, place, values):
        """Updates the front. A place that cannot be used has the worst known values. When these change, the
        place is learned again, and first leaves the front. Places that it had displaced need not return,
        because a usable place is at least as good as the unusable one was."""
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
        """Learns answers. Places that cannot be used get the worst known value of each
        objective; they wait until there is one."""
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
    """Proposes places while other trials run. Every worker learns the same entries in the same order."""

    most_asked = 8  # number of attempts after which places are drawn at random

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
        """Makes the sampler treat the trial as running, so that it avoids the trial's
        neighbourhood."""
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
    except Exception as error:  # sent to the caller
        print(json.dumps({"error": f"the optimiser failed: {type(error).__name__}: {error}"}), flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
