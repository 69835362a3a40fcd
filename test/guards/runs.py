# SPDX-License-Identifier: Apache-2.0
"""Cases of the guard, their runs, and the parts of a run that are compared."""
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess

import recording

HERE = pathlib.Path(__file__).resolve().parent
PLACE = pathlib.Path("test/guards/cases.json")
NO_SCENARIOS = {"systems", "studies", "models", "tech", "reproduce", "readings"}
# Files of a run that are not compared byte for byte, and files that the guard itself writes to the
# folder of the run.
OTHERWISE = {"results.json", "decisions", "log.txt", "image.levee"}


class Failure(Exception):
    """The error of a case that cannot be run or compared."""


@dataclasses.dataclass
class Side:
    """A tree with its build, and the tree whose firmware runs."""
    name: str
    tree: pathlib.Path
    build: pathlib.Path
    firmware: pathlib.Path

    @property
    def program(self):
        return self.build / "platform" / "levee"


def side_of(name, tree, build):
    return Side(name, tree, build, build / "firmware")


def key_of(file, key):
    """Returns the value of a top-level key in a scenario file, or in one that it extends; None if no file has it."""
    text = file.read_text()
    found = re.search(rf"^{key}:(.*)$", text, re.MULTILINE)
    if found:
        return found[1].split(" #")[0].strip()
    extends = re.search(r"^extends:\s*(\S+)", text, re.MULTILINE)
    return key_of(file.parent / extends[1], key) if extends else None


def shipped(tree):
    """Returns the names of those shipped scenarios that can run alone, which are those with a system."""
    folder = tree / "scenarios"
    files = [file for file in sorted(folder.rglob("*.yaml")) if not NO_SCENARIOS & set(file.relative_to(folder).parts)]
    return [str(file.relative_to(folder).with_suffix("")) for file in files
            if key_of(file, "system") is not None and key_of(file, "scenario") is None]


def load_cases(tree):
    """Returns the cases: every shipped scenario, and the variants in cases.json, which also has remarks."""
    cases = {name.replace("/", "."): {"scenario": name} for name in shipped(tree)}
    variants = tree / PLACE  # a base older than the guard lacks this folder
    for name, case in json.loads(variants.read_text() if variants.is_file() else "{}").items():
        cases[name] = {"scenario": name.replace(".", "/"), **case}
    return cases


def call(arguments, folder):
    """Runs the program with its output in log.txt. Returns the exit code."""
    with open(folder / "log.txt", "ab") as log:
        return subprocess.run(arguments, cwd=folder, stdout=log, stderr=log, check=False).returncode


def arguments_of(case, side, app):
    arguments = [side.program, "run", case["scenario"], "--quiet", "--no-report", "--out", "."]
    if app:
        arguments += ["--elf", "program.elf"]
    if "image" in case:
        arguments += ["--set", "model.image=image.levee"]
    for override in case.get("set", []):
        arguments += ["--set", override]
    for kind in case.get("trace", []):
        arguments += ["--trace", f"{kind}:trace_{kind}.gz"]
    scenario = side.tree / "scenarios" / (case["scenario"] + ".yaml")
    if key_of(scenario, "data") not in ("timing_only", "phantom"):
        arguments += ["--record-decisions", "decisions"]
    return arguments


def run(case, side, folder, app=None):
    """Runs a case on one side. If `app` is given, it runs this program of that side's firmware."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if app:
        shutil.copy(side.firmware / f"{app}.elf", folder / "program.elf")
    if "image" in case and call([side.program, "import", *case["image"], "-o", "image.levee"], folder):
        raise Failure(f"the model's image could not be made: {last_lines(folder)}")
    code = call(arguments_of(case, side, app), folder)
    if not (folder / "results.json").is_file():
        raise Failure(f"the run wrote no results and ended with exit code {code}: {last_lines(folder)}")
    summary = summary_of(folder)
    summary["files"].pop("program.elf", None)
    return {**summary, "leaves": {"exit code": code, **summary["leaves"]}}


def last_lines(folder):
    lines = (folder / "log.txt").read_text(errors="replace").strip().splitlines()
    return " / ".join(lines[-3:]) + f" ({folder / 'log.txt'})"


def app_of(folder):
    """Returns the name of the firmware program that a run executed; None for another program."""
    workload = json.loads((folder / "results.json").read_text())["scenario"].get("workload", {})
    app = workload.get("app", "generate")
    return None if "/" in app or "elf" in workload else app


def same_bytes(text):
    """Returns results.json without the host.* lines and without its last key, which states versions."""
    body, separator, _ = text.rpartition(',\n  "versions": {')
    if not separator:
        raise Failure("results.json does not end with 'versions'")
    return "\n".join(line for line in body.split("\n") if not line.startswith('    "host.'))


def leaves_of(value, path=""):
    """Returns every value in results.json by its path."""
    if isinstance(value, dict) and value:
        return {name: leaf for key, inner in value.items() for name, leaf in leaves_of(inner, f"{path}{key}.").items()}
    return {path.rstrip("."): value}


def summary_of(folder):
    text = (folder / "results.json").read_text()
    results = json.loads(text)
    figures = {key: value for key, value in results.pop("metrics").items() if not key.startswith("host.")}
    results.pop("versions")
    recorded = folder / "decisions"
    decisions = recording.digests(recorded.read_bytes()) if recorded.is_file() else {}
    files = {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*"))
             if file.is_file() and str(file.relative_to(folder)) not in OTHERWISE}
    return {"bytes": same_bytes(text), "figures": figures, "leaves": leaves_of(results), "decisions": decisions,
            "files": files}
