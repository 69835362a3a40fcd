# SPDX-License-Identifier: Apache-2.0
"""Support for your own optimiser in `levee explore STUDY --optimiser FILE`: FILE calls optimise()."""
import json
import random
import sys
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

Place = Sequence[float]
BELOW_ONE = 1.0 - 2.0**-53
MOST_ASKED = 8  # attempts to get one new proposal before points are drawn at random


class Dimension(NamedTuple):
    """An axis of the study, or several axes that change together."""
    values: int  # a place is an index from 0 to values - 1; if 0: a fraction, 0 <= place < 1
    ordered: bool  # neighbouring values have similar effects


class Space(NamedTuple):
    """The places that a study's axes allow: an index or a fraction for each dimension."""
    dimensions: List[Dimension]
    objectives: int
    seed: int

    def draw(self, generator: random.Random) -> List[float]:
        """Returns a random place."""
        return [generator.randrange(one.values) if one.values else min(generator.random(), BELOW_ONE)
                for one in self.dimensions]

    def check(self, place: Place) -> List[float]:
        """Returns the place as a list. Raises ValueError if it is not in the space."""
        checked = list(place)
        if len(checked) != len(self.dimensions):
            raise ValueError(f"ask() returned {checked}; expected a number for each of the {len(self.dimensions)} dimensions")
        for i, (value, dimension) in enumerate(zip(checked, self.dimensions)):
            if not (0 <= value < (dimension.values or 1)) or (dimension.values and value != int(value)):
                expected = f"a whole number below {dimension.values}" if dimension.values else "a fraction below 1"
                raise ValueError(f"ask() returned {checked}, whose value {i} is {value}; expected {expected}")
        return [int(value) if dimension.values else value for value, dimension in zip(checked, self.dimensions)]


class Server:
    """Lets proposer.py use an optimiser that has only ask() and tell()."""

    def __init__(self, space: Space, optimiser: Any) -> None:
        self.space = space
        self.optimiser = optimiser
        self.random = random.Random(space.seed)
        self.places: Dict[int, Place] = {}
        self.count = 0

    def proposal(self, place: Place) -> dict:
        number = self.count
        self.count += 1
        self.places[number] = self.space.check(place)
        return {"id": number, "place": self.places[number]}

    def tell(self, number: int, values: Optional[List[float]]) -> None:
        self.optimiser.tell(self.places.pop(number), values)

    def answer(self, request: dict) -> dict:
        if "propose" in request:
            asked = request["propose"] < MOST_ASKED
            return {"place": self.space.check(self.optimiser.ask() if asked else self.space.draw(self.random))}
        for name, take in (("start", self.optimiser.ask), ("ask", self.optimiser.ask),
                           ("draw", lambda: self.space.draw(self.random))):
            if name in request:
                return {"proposals": [self.proposal(take()) for _ in range(request[name])]}
        for entry in request.get("learn", []):
            if entry is not None and "place" in entry:
                self.places[entry["trial"]] = entry["place"]
            elif entry is not None:
                self.tell(entry["ended"], entry["values"])
        for told in request.get("tell", []):
            if told["withdrawn"]:
                self.places.pop(told["id"])
            else:
                self.tell(told["id"], told["values"])
        return {}


def optimise(make: Callable[[Space], Any]) -> None:
    """Connects `levee explore` to the optimiser that make(space) returns. The optimiser's ask() returns a place:
    for each dimension an index below `values`, or a fraction. Its tell(place, values) receives the value of
    each objective, where larger is better, or None if the point cannot be used. tell() also receives places
    that others have proposed."""
    said, sys.stdout = sys.stdout, sys.stderr  # so that what the optimiser prints does not mix with the answers
    try:
        head = json.loads(sys.stdin.readline())
        space = Space([Dimension(one["values"], one["ordered"]) for one in head["dimensions"]], head["objectives"],
                      head["seed"])
        server = Server(space, make(space))
        print("{}", file=said, flush=True)
        for line in sys.stdin:
            print(json.dumps(server.answer(json.loads(line))), file=said, flush=True)
    except Exception as error:
        print(json.dumps({"error": f"the optimiser failed: {type(error).__name__}: {error}"}), file=said, flush=True)
        sys.exit(1)
