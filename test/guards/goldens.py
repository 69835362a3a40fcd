# SPDX-License-Identifier: Apache-2.0
"""Compares figures that were derived by hand (goldens.json) with runs."""
import json
import math

import compare
import runs

ALLOWED = {"__builtins__": {}, "sum": sum, "range": range, "ceil": math.ceil}


def load():
    """Returns an expression and its meaning for each case and metric."""
    return json.loads((runs.HERE / "goldens.json").read_text())


def value_of(expression):
    return eval(expression, ALLOWED)  # expressions come only from this folder's own file, and are sums and products of
                                      # sizes


def differing(golden, run):
    """Returns lines about metrics that differ from the figures derived by hand."""
    figures = {**run["figures"], "exit code": run["leaves"]["exit code"]}
    by_hand = {"exit code": ("0", "the program reports that its results are right"), **golden}
    return [f"{compare.line(name, value_of(expression), figures.get(name))} by hand: {expression}, {why}"
            for name, (expression, why) in by_hand.items() if figures.get(name) != value_of(expression)]


def check(names, side, out):
    """Runs the named cases, or all cases with figures. Returns whether one differs."""
    known, cases, failed = load(), runs.load_cases(side.tree), False
    for name in names or known:
        if name not in known:
            raise runs.Failure(f"no figures were calculated by hand for '{name}'; expected one of: {', '.join(known)}")
        found = differing(known[name], runs.run(cases[name], side, out / name))
        print(f"{name}: " + (f"{len(found)} DIFFER" if found else f"{len(known[name])} figures equal those calculated by hand"))
        for line in found:
            print("  " + line)
        failed |= bool(found)
    return failed
