# SPDX-License-Identifier: Apache-2.0
"""Proposes points for `levee explore`, which starts it: Optuna's multivariate TPE sampler, from a Latin
hypercube on.

It reads requests from stdin and answers each with a line of JSON on stdout:

    {"dimensions": [{"values": 5, "ordered": true}, ...], "objectives": 2, "seed": 1}      {}
    {"start": 20} or {"ask": 4} or {"draw": 1}   {"proposals": [{"id": 0, "place": [3, 0.25]}, ...]}
    {"tell": [{"id": 0, "values": [1.5, -2.0], "withdrawn": false}, ...]}                    {}

A place has an index for each dimension, or, where "values" is 0, a fraction from 0 to below 1. Of values, larger is
better; null: the point cannot be used; withdrawn: an equal
proposal is still to be told of. Every proposal is told of once. {"error": "..."} answers what fails.
"""
import json
import random
import sys
import warnings

BELOW_ONE = 1.0 - 2.0**-53


class Optimiser:
    """A study of Optuna's, and the proposals that wait for their values."""

    def __init__(self, dimensions, objectives, seed):
        self.dimensions = dimensions
        self.random = random.Random(seed)
        self.distributions = {str(i): distribution(d) for i, d in enumerate(dimensions)}
        sampler = optuna.samplers.TPESampler(seed=seed, multivariate=True, constant_liar=True, n_startup_trials=1)
        self.study = optuna.create_study(directions=["maximize"] * objectives, sampler=sampler)
        self.waiting = {}
        self.withheld = []  # places that cannot be used, while nothing is known that can
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
        return [self.propose([self.value(d, self.random.random()) for d in self.dimensions]) for _ in range(number)]

    def ask(self, number):
        proposals = []
        for _ in range(number):
            trial = self.study.ask(self.distributions)
            place = [trial.params[name] for name in self.distributions]
            proposals.append(self.propose(place, trial))
        return proposals

    def learn(self, place, trial, values):
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
        for place, trial, values in self.withheld + told:
            if values is None and self.worst is None:
                continue
            self.learn(place, trial, values if values is not None else self.worst)
        self.withheld = [] if self.worst is not None else self.withheld + told


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


def serve():
    optimiser = None
    for line in sys.stdin:
        request = json.loads(line)
        if optimiser is None:
            optimiser = Optimiser(request["dimensions"], request["objectives"], request["seed"])
            answer = {}
        else:
            answer = answer_to(optimiser, request)
        print(json.dumps(answer), flush=True)


warnings.simplefilter("ignore")
try:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
except ImportError as missing:
    print(json.dumps({"error": f"{missing}; 'levee explore' needs Optuna: apt-get install python3-optuna"}), flush=True)
    sys.exit(1)
try:
    serve()
except Exception as error:  # what it is goes to who asked
    print(json.dumps({"error": f"the optimiser failed: {type(error).__name__}: {error}"}), flush=True)
    sys.exit(1)
