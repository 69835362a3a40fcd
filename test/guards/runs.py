# SPDX-License-Identifier: Apache-2.0
"""Runs of the guards' cases, and what is compared of a run."""
import hashlib
import json
import pathlib
import shutil
import subprocess
import tarfile

import recording

HERE = pathlib.Path(__file__).resolve().parent
GUARDS = ("one", "two")  # firmware of old; the build's own


class Failure(Exception):
    """A case that cannot be run or compared."""


def load_cases():
    return json.loads((HERE / "cases.json").read_text())


def case_of(name):
    cases = load_cases()
    if name not in cases:
        raise Failure(f"no case '{name}'; expected one of: {', '.join(cases)}")
    return cases[name]


def short_hash(data):
    return hashlib.sha256(data).hexdigest()[:16]


def extract_firmware(case, folder):
    """The program as it was built before firmware/ was split into llm, cache and target, or as the case's archive has it."""
    member, archive = f"{case['app']}.elf", case.get("firmware", "firmware.tar.xz")
    with tarfile.open(HERE / archive) as programs:
        if member not in programs.getnames():
            raise Failure(f"{archive} has no {member}")
        (folder / member).write_bytes(programs.extractfile(member).read())
    return member


def call(arguments, folder):
    """Runs the program, its output in log.txt; returns the end of that."""
    with open(folder / "log.txt", "ab") as log:
        subprocess.run(arguments, cwd=folder, stdout=log, stderr=log, check=False)
    return (folder / "log.txt").read_text(errors="replace")[-2000:]


def run(name, guard, places):
    """Runs a case for one of GUARDS; returns its folder."""
    case = case_of(name)
    folder = places.out / guard / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = (extract_firmware(case, folder) if guard == "one"
               else places.firmware / f"{case['app']}.elf")
    arguments = [places.levee, "run", case["scenario"], "--elf", program, "--quiet", "--out", "."]
    if "image" in case:
        call([places.levee, "import", *case["image"], "-o", "image.levee"], folder)
        arguments += ["--set", "model.image=image.levee"]
    for override in case.get("set", []):
        arguments += ["--set", override]
    if not case.get("phantom"):
        arguments += ["--record-decisions", "decisions"]
    said = call(arguments, folder)
    if not (folder / "results.json").is_file():
        raise Failure(f"{name}: {' '.join(map(str, arguments))}\n  in {folder} left no results.json:\n{said}")
    return folder


def same_bytes(text):
    """results.json without the lines of host.* and without versions, its last key."""
    body, separator, _ = text.rpartition(',\n  "versions": {')
    if not separator:
        raise Failure("results.json does not end with 'versions'")
    return "\n".join(line for line in body.split("\n") if not line.startswith('    "host.'))


def results_of(folder):
    return json.loads((folder / "results.json").read_text())


def summary_of(folder):
    """What is compared of a run: a hash of the same bytes, one of each section, figures, decisions."""
    results, recorded = results_of(folder), folder / "decisions"
    text = (folder / "results.json").read_text()
    metrics = {key: value for key, value in results["metrics"].items() if not key.startswith("host.")}
    sections = {key: short_hash(json.dumps(value).encode())
                for key, value in results.items() if key not in ("metrics", "versions")}
    return {"sha256": hashlib.sha256(same_bytes(text).encode()).hexdigest(),
            "sections": sections, "metrics": metrics,
            "decisions": recording.digests(recorded.read_bytes()) if recorded.is_file() else {}}


def golden_file(name):
    return HERE / "goldens" / f"{name}.json"


def load_golden(name):
    if not golden_file(name).is_file():
        raise Failure(f"{name} has no golden; 'guard.py accept {name} --why ...' makes one")
    return json.loads(golden_file(name).read_text())


def save_golden(name, golden):
    golden_file(name).write_text(json.dumps(golden, indent=1, sort_keys=True) + "\n")
