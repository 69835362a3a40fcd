#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""proposal_cost.py [POINTS...]

Measures the processor time that the optimiser of `levee explore` takes for a proposal and its answer when
POINTS points are known (default: 100 1000 5000). The platform does not run. The test function has two
objectives and a disconnected front (ZDT3), on 100 x 100 x 100 points. Ten generations of four points are
proposed.
"""
import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "platform/studies/explore"))
import proposer  # noqa: E402

SKIPPED = 77
VALUES = 100  # Number of values on each of three axes.
GENERATIONS, TOGETHER = 10, 4


def zdt3(place):
    first, *others = (index / (VALUES - 1) for index in place)
    slope = 1 + 9 * sum(others) / len(others)
    ratio = first / slope
    return [-first, -slope * (1 - math.sqrt(ratio) - ratio * math.sin(10 * math.pi * first))]


def tell(optimiser, proposals):
    optimiser.tell([{"id": one["id"], "values": zdt3(one["place"]), "withdrawn": False} for one in proposals])


def cost(points):
    optimiser = proposer.Optimiser([{"values": VALUES, "ordered": True}] * 3, 2, 1)
    tell(optimiser, optimiser.start(20))
    while len(optimiser.known) < points:
        tell(optimiser, optimiser.draw(1))
    begin = time.process_time()
    for _ in range(GENERATIONS):
        tell(optimiser, optimiser.ask(TOGETHER))
    return (time.process_time() - begin) / (GENERATIONS * TOGETHER), len(optimiser.front)


def main(numbers):
    if proposer.optuna is None:
        print("skipped: no Optuna (python3-optuna)")
        return SKIPPED
    proposer.optuna.logging.set_verbosity(proposer.optuna.logging.ERROR)
    for points in numbers:
        seconds, front = cost(points)
        print(f"{points} points known, {front} on the front: {1e3 * seconds:.0f} ms a proposal", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main([int(number) for number in sys.argv[1:]] or [100, 1000, 5000]))
