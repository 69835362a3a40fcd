# SPDX-License-Identifier: Apache-2.0
"""proposer_test.py FOLDER tests how proposer.py in FOLDER maintains the Pareto front, and how much work that
takes."""
import random
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
import proposer  # noqa: E402

if proposer.optuna is None:
    print("skipped: no Optuna (python3-optuna)")
    sys.exit(77)
proposer.optuna.logging.set_verbosity(proposer.optuna.logging.ERROR)

DIMENSIONS = [{"values": 4, "ordered": True}, {"values": 3, "ordered": False}, {"values": 3, "ordered": True}]


def optimiser_of(objectives, seed):
    return proposer.Optimiser(DIMENSIONS, objectives, seed)


def front_of(known):
    """Returns the places that no other place dominates, in the order in which they became known."""
    return [place for place, own in known.items()
            if not any(proposer.dominates(other, own) for other in known.values())]


class TheFront(unittest.TestCase):
    def test_it_is_that_of_all_known_places_in_their_order(self):
        for objectives in (1, 2, 3):
            for seed in range(6):
                with self.subTest(objectives=objectives, seed=seed):
                    self.explore(optimiser_of(objectives, seed), objectives, random.Random(seed))

    def explore(self, optimiser, objectives, draws):
        """Reports values with few distinct magnitudes, so that many are equal. A third of the places are invalid,
        and are reported again."""
        values = {}
        proposals = optimiser.start(5)
        for _ in range(15):
            proposals += optimiser.draw(2)
            answers = []
            for proposal in proposals:
                place = tuple(proposal["place"])
                if place not in values:
                    values[place] = [float(draws.randrange(6)) for _ in range(objectives)] if draws.random() > 1 / 3 else None
                answers.append({"id": proposal["id"], "values": values[place], "withdrawn": draws.random() < 0.1})
            optimiser.tell(answers)
            self.assertEqual(list(optimiser.front), front_of(optimiser.known))
            self.assertEqual(list(optimiser.front.values()), [optimiser.known[place] for place in optimiser.front])
            proposals = optimiser.ask(3)

    def test_one_that_cannot_be_used_leaves_it_when_the_worst_becomes_worse(self):
        optimiser = optimiser_of(2, 1)
        for place, values in (((0, 0, 1), [1.0, 1.0]), ((1, 0, 1), None), ((2, 0, 1), [2.0, 0.0]),
                              ((1, 0, 1), None)):
            number = optimiser.propose(list(place))["id"]
            optimiser.tell([{"id": number, "values": values, "withdrawn": False}])
        self.assertEqual(optimiser.known[(1, 0, 1)], [1.0, 0.0])
        self.assertEqual(list(optimiser.front), [(0, 0, 1), (2, 0, 1)])

    def test_a_neighbour_compares_no_values(self):
        optimiser = optimiser_of(2, 1)
        proposals = optimiser.start(200)
        optimiser.tell([{"id": one["id"], "values": [float(one["place"][2]), float(one["place"][0])], "withdrawn": False}
                        for one in proposals])
        compared = []
        before = proposer.dominates
        proposer.dominates = lambda a, b: compared.append(1) or before(a, b)
        try:
            for _ in range(10):
                optimiser.neighbour()
        finally:
            proposer.dominates = before
        self.assertEqual(len(compared), 0)


if __name__ == "__main__":
    unittest.main()
