#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the guards (docs/guards.md): what was computed and timed stays, or is accepted with a reason."""
import argparse
import datetime
import pathlib
import sys

import compare
import runs

ACCEPTED = runs.HERE / "accepted.md"


def examine(name, guard, options):
    """Runs a case for one guard; returns what differs, and the run's summary."""
    now = runs.summary_of(runs.run(name, guard, options))
    golden = runs.load_golden(name)
    found = compare.guard_one(golden, now) if guard == "one" else compare.guard_two(runs.case_of(name), golden, now)
    return found, now


def print_found(name, guard, found):
    failing = sum(one.fails for one in found)
    print(f"guard {guard}: {name}: " + (f"{failing} FAIL, {len(found)} differ" if failing else
                                        f"passes, {len(found)} figures differ" if found else "passes, all the same"))
    if found:
        print(f"  {'':52} {'old':>22} {'new':>22} {'apart':>11}")
    for one in found:
        print("  " + one.text())
    sys.stdout.flush()
    return failing == 0


def names_to_check(options):
    return options.cases or [name for name, case in runs.load_cases().items() if options.all or not case.get("slow")]


def check(options):
    failed = []
    for name in names_to_check(options):
        for guard in [options.guard] if options.guard else runs.GUARDS:
            if not print_found(name, guard, examine(name, guard, options)[0]):
                failed.append(f"guard {guard}: {name}")
    if not options.cases and options.guard != "one" and total(options):
        failed.append("guard two: over all")
    for line in failed:
        print("FAILED " + line)
    return bool(failed)


def total(options):
    """Guard two over all: simulated time of the runs in the output folder, old and new."""
    before, after = {}, {}
    print(f"\n{'simulated seconds':32} {'old':>22} {'new':>22} {'change':>11}")
    for name in names_to_check(options):
        before[name] = compare.expected_by_guard_two(runs.load_golden(name))["metrics"]["sim.seconds"]
        after[name] = runs.results_of(options.out / "two" / name)["metrics"]["sim.seconds"]
        print_change(name, before[name], after[name])
    print_change("sum", sum(before.values()), sum(after.values()))
    ratios = [after[name] / before[name] for name in before]
    print_change("mean, each case's old time as 1", 1.0, sum(ratios) / len(ratios))
    slower = sum(after.values()) > sum(before.values())
    print("guard two: over all: " + ("SLOWER" if slower else "not slower"))
    return slower


def print_change(name, old, new):
    print(f"{name:32} {old:22.12g} {new:22.12g} {100 * (new / old - 1):+9.4f} %")


def accepted_golden(golden, guard, found, now):
    """The golden with what differs and fails taken over."""
    if guard == "one":
        return {**golden, **now}
    accepted = {kind: dict(entries) for kind, entries in golden.get("accepted", {}).items()}
    for one in found:
        if one.fails:
            accepted.setdefault(one.kind, {})[one.name] = now[one.kind].get(one.name)
    return {**golden, "accepted": accepted}


def accept(options):
    for name in options.cases:
        if not runs.golden_file(name).is_file():
            runs.save_golden(name, runs.summary_of(runs.run(name, "one", options)))
            note(name, "one", "A new case.", options.why)
        for guard in runs.GUARDS:
            found, now = examine(name, guard, options)
            failing = [one.text() for one in found if one.fails]
            if failing:
                runs.save_golden(name, accepted_golden(runs.load_golden(name), guard, found, now))
                note(name, guard, "```\n" + "\n".join(failing) + "\n```", options.why)
    return 0


def note(name, guard, what, why):
    print(f"guard {guard}: {name}: accepted")
    with open(ACCEPTED, "a") as file:
        file.write(f"\n## {datetime.date.today()}: {name}, guard {guard}\n\n{why}\n\n{what}\n")


def resolved(text):
    return pathlib.Path(text).resolve()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    places = argparse.ArgumentParser(add_help=False)
    build = runs.HERE.parent.parent / "build"
    for option, default, what in (("--levee", build / "platform" / "levee", "the program"),
                                  ("--firmware", build / "firmware", "folder of the build's own firmware"),
                                  ("--out", build / "test" / "guards", "folder for results")):
        places.add_argument(option, type=resolved, default=default, help=f"{what} (default: %(default)s)")
    cases = argparse.ArgumentParser(add_help=False)
    cases.add_argument("--all", action="store_true", help="cases that take long, too")
    checks = commands.add_parser("check", parents=[places, cases], help="run cases (default: all that are quick)")
    checks.add_argument("cases", nargs="*", metavar="CASE")
    checks.add_argument("--guard", choices=runs.GUARDS, help="only this one")
    totals = commands.add_parser("total", parents=[places, cases], help="guard two over all, of runs that check left")
    totals.set_defaults(cases=[])
    accepts = commands.add_parser("accept", parents=[places], help="take over what a wanted change has changed")
    accepts.add_argument("cases", nargs="+", metavar="CASE")
    accepts.add_argument("--why", required=True, help="the reason, for accepted.md")
    return parser.parse_args()


def main():
    options = parse_arguments()
    try:
        return {"check": check, "total": total, "accept": accept}[options.command](options)
    except (runs.Failure, OSError, ValueError) as error:
        print(f"guard.py: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
