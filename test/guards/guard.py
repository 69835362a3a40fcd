#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The guard (CONTRIBUTING.md) checks that the tree's results and times are equal to those of a base, unless a
commit gives a reason for a difference."""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sys

import base
import compare
import goldens
import runs

TREE = pathlib.Path(__file__).resolve().parents[2]
LINES_OF_A_CASE = 40


class Case:
    """The guard's findings about one case."""

    def __init__(self, name):
        self.name = name
        self.found = []  # one line for each difference
        self.of_platform = False  # True if a difference remains with the base's firmware
        self.note = ""

    def differ(self, head, lines):
        if lines:
            self.found += [f"{head}: {len(lines)} differ", *lines]


def run_or_say(case, result, head, *arguments):
    try:
        return runs.run(case, *arguments)
    except runs.Failure as failure:
        result.found += [f"{head} cannot run this case: {failure}"]
        return None


def examine(name, sides, cases, options):
    """Runs a case with the base, with this tree, and with this tree under the base's firmware."""
    result = Case(name)
    before, now = cases
    if name not in before:
        result.note = "new: the base has no such case"
        return result
    if name not in now:
        result.found = ["the base has this case, but this tree does not"]
        return result
    folders = {kind: options.out / kind / name for kind in ("base", "this", "this_with_firmware_of_base")}
    # The base runs the case as its own revision defines it, but with this tree's traces.
    old_case = {**before[name], "trace": now[name].get("trace", [])}
    old = run_or_say(old_case, result, "the base", sides[0], folders["base"])
    new = run_or_say(now[name], result, "this tree", sides[1], folders["this"])
    if old and new:
        result.differ(f"this tree {change_of_time(old, new)}", compare.compare(old, new))
    app = runs.app_of(folders["base"]) if old and new and not options.own_firmware_only else None
    if app and (sides[0].firmware / f"{app}.elf").is_file():
        mixed = runs.Side("mixed", sides[1].tree, sides[1].build, sides[0].firmware)
        before_mixed = len(result.found)
        under = run_or_say(now[name], result, "the base's firmware on this tree's platform", mixed,
                           folders["this_with_firmware_of_base"], app)
        if under:
            result.differ("this tree's platform under the base's firmware", compare.compare(old, under))
        result.of_platform = bool(result.found[before_mixed:])
    return result


def change_of_time(old, new):
    times = [run["figures"].get("sim.seconds") for run in (old, new)]
    return f"(sim.seconds {times[0]} -> {times[1]}{', ' + compare.percent(*times) if times[0] != times[1] else ''})"


def show(result, reason, number, options):
    verdict = "the same" if not result.found else "accepted" if reason else "DIFFERS"
    print(f"[{number}] {result.name}: {result.note or verdict}" + (f" ({reason})" if reason and result.found else ""))
    lines = result.found if options.full else result.found[:LINES_OF_A_CASE]
    for line in lines:
        print("  " + line)
    if len(lines) < len(result.found):
        print(f"  and {len(result.found) - len(lines)} lines more (--full)")
    sys.stdout.flush()


def names_to_check(options, cases):
    every = {**cases[0], **cases[1]}
    unknown = [name for name in options.cases if name not in every]
    if unknown:
        raise runs.Failure(f"no case '{unknown[0]}'; expected one of: {', '.join(sorted(every))}")
    slow = [name for name in every if every[name].get("slow")]
    if options.cases or options.all:
        return options.cases or list(every)
    base.say(f"left out, for they take long: {', '.join(slow)} (--all)")
    return [name for name in every if name not in slow]


def base_side(options):
    if options.base_build:
        return base.given(options.base_build)
    return base.built(TREE, options.base, options.out / "bases")


def check(options):
    if not options.base and not options.base_build:
        raise runs.Failure("no base; expected --base REV, --base-build DIR or both")
    accepted = base.accepted(TREE, options.base) if options.base else base.Accepted()
    sides = base_side(options), runs.side_of("this tree", TREE, options.build)
    base.say(f"this tree's program and firmware, in {options.build}")
    base.build(TREE, options.build)
    cases = tuple(runs.load_cases(side.tree) for side in sides)
    names = names_to_check(options, cases)
    for line in accepted.unknown({**cases[0], **cases[1]}):
        base.say(line)
    base.say(f"{len(names)} cases, {options.jobs} at a time; the runs' folders are in {options.out}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = [pool.submit(examine, name, sides, cases, options) for name in names]
        for number, done in enumerate(concurrent.futures.as_completed(waiting), 1):
            show(done.result(), accepted.reason(done.result()), f"{number}/{len(names)}", options)
    return summarise([done.result() for done in waiting], accepted)


def summarise(results, accepted):
    differing = [result for result in results if result.found]
    failed = [result for result in differing if not accepted.reason(result)]
    print(f"{len(results)} cases: {len(results) - len(differing)} the same, {len(differing) - len(failed)} accepted, "
          f"{len(failed)} failed")
    if failed:
        print("FAILED " + ", ".join(result.name for result in failed))
        print("To accept an intended change, add a line to its commit's message:")
        for key, of_platform in (("Guard-Accept", False), ("Guard-Accept-Platform", True)):
            names = [result.name for result in failed if result.of_platform == of_platform]
            if names:
                print(f"  {key}: {', '.join(names)} WHY")
    return bool(failed)


def resolved(text):
    return pathlib.Path(text).resolve()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    checks = commands.add_parser("check", help="compare this tree's runs with those of a base, byte for byte")
    checks.add_argument("cases", nargs="*", metavar="CASE")
    checks.add_argument("--base", metavar="REV", help="the revision to compare with; later commits may accept differences")
    checks.add_argument("--base-build", metavar="DIR", type=resolved, help="an existing build of the base")
    checks.add_argument("--build", metavar="DIR", type=resolved, default=TREE / "build",
                        help="this tree's build (default: %(default)s)")
    checks.add_argument("--out", metavar="DIR", type=resolved, default=TREE / "build" / "guard",
                        help="folder for the runs and for built bases (default: %(default)s)")
    checks.add_argument("--all", action="store_true", help="also run the slow cases")
    checks.add_argument("--full", action="store_true", help=f"print all differences instead of at most {LINES_OF_A_CASE} lines per case")
    checks.add_argument("--own-firmware-only", action="store_true",
                        help="do not run this tree's platform under the base's firmware")
    checks.add_argument("--jobs", "-j", type=int, default=os.cpu_count(), help="number of cases that run at a time (default: %(default)s)")
    golden = commands.add_parser("goldens", help="compare runs with figures that were calculated by hand")
    golden.add_argument("cases", nargs="*", metavar="CASE")
    golden.add_argument("--build", metavar="DIR", type=resolved, default=TREE / "build")
    golden.add_argument("--out", metavar="DIR", type=resolved, default=TREE / "build" / "guard" / "goldens")
    return parser.parse_args()


def check_goldens(options):
    return goldens.check(options.cases, runs.side_of("this tree", TREE, options.build), options.out)


def main():
    options = parse_arguments()
    try:
        return {"check": check, "goldens": check_goldens}[options.command](options)
    except (runs.Failure, OSError, ValueError, json.JSONDecodeError) as error:
        print(f"guard.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
