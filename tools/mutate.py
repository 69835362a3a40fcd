#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Mutates C++ sources of this tree, one place at a time, and reports which mutants the tests notice
(fuzz/README.md).

A mutant changes one operator, constant, condition or call. The program runs the tests that are linked with the
changed file, first those of test/unit and test/reference, until one fails. The tree must be built with its
tests. Its sources change while a mutant is tried; they are always restored, even after Ctrl-C.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parents[1]
SOURCES = {".cpp", ".hpp", ".h", ".inc"}
CPU_SECONDS_OF_A_TEST = 600  # processor time, so that a busy machine changes nothing
FIRST = ("test/unit/", "test/reference/", "test/component/")

# (kind of mutant, pattern to find, replacement). clang-format puts spaces around binary operators
# only.
OPERATORS = [(kind, re.compile(pattern), replacement) for kind, pattern, replacement in [
    ("comparison", r"(?<= )<(?= )", "<="),
    ("comparison", r"(?<= )<=(?= )", "<"),
    ("comparison", r"(?<= )>(?= )", ">="),
    ("comparison", r"(?<= )>=(?= )", ">"),
    ("comparison", r"(?<= )==(?= )", "!="),
    ("comparison", r"(?<= )!=(?= )", "=="),
    ("arithmetic", r"(?<= )\+(?= )", "-"),
    ("arithmetic", r"(?<= )-(?= )", "+"),
    ("arithmetic", r"(?<= )\*(?= )", "+"),
    ("arithmetic", r"(?<= )/(?= )", "*"),
    ("arithmetic", r"(?<= )%(?= )", "/"),
    ("arithmetic", r"(?<= )\+=(?= )", "-="),
    ("arithmetic", r"(?<= )-=(?= )", "+="),
    ("logic", r"(?<= )&&(?= )", "||"),
    ("logic", r"(?<= )\|\|(?= )", "&&"),
    ("logic", r"\btrue\b", "false"),
    ("logic", r"\bfalse\b", "true"),
    ("extremum", r"\bstd::min\b", "std::max"),
    ("extremum", r"\bstd::max\b", "std::min"),
    ("index", r"(?<=\w\[)(\w+)(?=\])", r"\1 + 1"),
    ("call", r"^ +[a-z_][\w.]*(?:->\w+)*\([^;{}]*\);$", ""),
    ("constant", r"(?<![\w.'])(\d+)(?![\w.'])", None),  # each number becomes one greater
]]
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*',
                      re.DOTALL | re.MULTILINE)
UNTOUCHED = re.compile(r"\b(?:static_assert|template|using|operator|#include|namespace)\b")

Mutant = collections.namedtuple("Mutant", "file line kind old new start end")


class Failure(Exception):
    """An error that ends the program with its message."""


def blanked(text):
    """Replaces comments, strings and directives by spaces, so that positions stay the same."""
    return NOT_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


def mutants_of(file):
    """Returns every mutant of a file, by position."""
    code = blanked(file.read_text())
    found = conditions_of(file, code)
    start = 0
    for number, line in enumerate(code.splitlines(keepends=True), 1):
        if not UNTOUCHED.search(line):
            found += [Mutant(str(file.relative_to(TREE)), number, kind, place[0], replaced(place, replacement),
                             start + place.start(), start + place.end())
                      for kind, pattern, replacement in OPERATORS for place in pattern.finditer(line)]
        start += len(line)
    return found


def conditions_of(file, code):
    """Negates the condition of each `if`, except those that declare a variable."""
    found = []
    for place in re.finditer(r"\bif \(", code):
        end = closing(code, place.end())
        condition = code[place.end():end]
        if not re.search(r"; | = ", condition):
            found.append(Mutant(str(file.relative_to(TREE)), code.count("\n", 0, place.end()) + 1, "condition", condition,
                                f"!({condition})", place.end(), end))
    return found


def closing(code, at):
    """Returns the position of the parenthesis that closes the one that opens just before
    `at`."""
    depth = 1
    while depth and at < len(code):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        at += 1
    return at - 1


def replaced(place, replacement):
    return str(int(place[0]) + 1) if replacement is None else place.expand(replacement)


def files_of(paths):
    for path in paths:
        whole = (TREE / path).resolve()
        if not whole.exists() or TREE not in whole.parents:
            raise Failure(f"{path}: no such file or folder in the tree; expected for example ip/rsa")
        yield from sorted(file for file in ([whole] if whole.is_file() else whole.rglob("*")) if file.suffix in SOURCES)


def output(arguments, folder):
    return subprocess.run(arguments, cwd=folder, check=True, capture_output=True, text=True).stdout


class Tests:
    """Knows the source files of each test program."""

    def __init__(self, build):
        self.build = build
        listed = json.loads(output(["ctest", "--show-only=json-v1"], build))["tests"]
        self.names = collections.defaultdict(list)  # tests of each program, in CTest's order
        for test in listed:
            program = pathlib.Path(test.get("command", [""])[0])
            if build in program.parents:
                self.names[str(program.relative_to(build))].append(test["name"])
        objects = self.objects_by_source()
        self.by_object = collections.defaultdict(set)
        for program in self.names:
            for each in output(["ninja", "-t", "inputs", program], build).split("\n"):
                self.by_object[each].add(program)
        self.by_source = {source: set().union(*(self.by_object[each] for each in of)) for source, of in objects.items()}

    def objects_by_source(self):
        """Returns the object files of each source, from Ninja's record of compilations."""
        found = collections.defaultdict(set)
        current = ""
        for line in output(["ninja", "-t", "deps"], self.build).splitlines():
            if line.startswith("    "):
                found[str((self.build / line.strip()).resolve())].add(current)
            else:
                current = line.split(":")[0]
        return found

    def programs(self, file):
        """Returns the programs that a change of a file may affect, in batches: the component's own, the other small
        ones, all others."""
        every = self.by_source.get(str(TREE / file), set())
        small = {program for program in every if program.startswith(FIRST)}
        own = {program for program in small if pathlib.Path(program).parent.name == pathlib.Path(file).parts[1]}
        return [(units, sorted(batch)) for units, batch in ((True, own), (True, small - own), (False, every - small)) if batch]


def limit_processor_time():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS_OF_A_TEST, CPU_SECONDS_OF_A_TEST))


def first_failure(tests, programs, jobs):
    """Returns the name of a test that fails, or None if all pass."""
    expression = "^(" + "|".join(re.escape(name) for program in programs for name in {
        each.split(":")[0] for each in tests.names[program]}) + "):"
    done = subprocess.run(["ctest", "-R", expression, "--stop-on-failure", "-j", str(jobs), "--timeout", "0"], cwd=tests.build,
                          check=False, capture_output=True, text=True, preexec_fn=limit_processor_time)
    if done.returncode == 0:
        return None
    failed = re.search(r"The following tests FAILED:\n\s*\d+ - (.*) \(", done.stdout)
    return failed[1] if failed else "a test of " + ", ".join(programs[:3])


def outcome_of(mutant, tests, options):
    """Builds and tests the tree with a mutant in place."""
    for units, programs in tests.programs(mutant.file):
        if options.units_only and not units:
            break
        built = subprocess.run(["ninja", f"-j{options.jobs}", *programs], cwd=tests.build, check=False, capture_output=True, text=True)
        if built.returncode:
            return ("stillborn", "does not compile") if "error:" in built.stdout else ("killed", "the build")
        failed = first_failure(tests, programs, options.jobs)
        if failed:
            return "killed", failed
    return "survived", ""


def attempt(mutant, tests, options):
    """Puts a mutant in place, tries it and restores the file."""
    file = TREE / mutant.file
    text = file.read_text()
    try:
        file.write_text(text[:mutant.start] + replacement_of(text[mutant.start:mutant.end], mutant) + text[mutant.end:])
        return outcome_of(mutant, tests, options)
    finally:
        file.write_text(text)


def replacement_of(original, mutant):
    return f"!({original})" if mutant.kind == "condition" else mutant.new


def drawn(options):
    every = [mutant for file in files_of(options.paths) for mutant in mutants_of(file)]
    if not every:
        raise Failure("nothing to mutate; expected C++ sources")
    return random.Random(options.seed).sample(every, min(options.count, len(every))), len(every)


def records(file):
    return [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []


def say(text):
    print(text, flush=True)


def run(options):
    if not (options.build / "build.ninja").is_file():
        raise Failure(f"{options.build}: no build.ninja; expected the folder of a build with its tests (./levee test -N)")
    chosen, every = drawn(options)
    if options.list:
        for mutant in chosen:
            say(f"{mutant.file}:{mutant.line}: {mutant.kind}: '{mutant.old}' becomes '{mutant.new}'")
        return
    before = {(record["file"], record["start"], record["new"]): record for record in records(options.journal)}
    tests = Tests(options.build)
    counts = collections.Counter()
    for number, mutant in enumerate(chosen, 1):
        record = before.get((mutant.file, mutant.start, mutant.new))
        if not record:
            outcome, by = attempt(mutant, tests, options)
            record = {**mutant._asdict(), "outcome": outcome, "by": by}
            with open(options.journal, "a", encoding="utf-8") as journal:
                journal.write(json.dumps(record) + "\n")
        counts[record["outcome"]] += 1
        say(f"[{number}/{len(chosen)}] {mutant.file}:{mutant.line}: '{mutant.old}' -> '{mutant.new}': {record['outcome']} {record['by']}")
    tried = counts["killed"] + counts["survived"]
    say(f"{counts['killed']} of {tried} killed, {counts['stillborn']} did not compile; {every:,} mutants possible")


def positive(text):
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}'; expected a positive integer")
    return int(text)


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files or folders of the tree, for example ip/rsa")
    parser.add_argument("--count", type=positive, default=20, help="number of mutants to draw (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random draw (default: %(default)s)")
    parser.add_argument("--build", type=lambda text: pathlib.Path(text).resolve(), default=TREE / "build", metavar="DIR")
    parser.add_argument("--journal", type=pathlib.Path, default=pathlib.Path("mutants.jsonl"), metavar="FILE",
                        help="file with one line for each mutant; mutants in the file are not tested again (default: %(default)s)")
    parser.add_argument("--units-only", action="store_true", help="only tests of test/unit, test/reference and test/component")
    parser.add_argument("--list", action="store_true", help="list the drawn mutants without testing them")
    parser.add_argument("--jobs", "-j", type=positive, default=2, help="number of parallel processes (default: %(default)s)")
    return parser.parse_args(arguments)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        run(options_of(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"mutate.py: {failure}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
