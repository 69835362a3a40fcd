# SPDX-License-Identifier: Apache-2.0
"""One function for each command."""
import hashlib
import json
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence, Tuple, Union

from .comparison import Comparison
from .program import LeveeError, call, override, plain
from .reproduction import Reproduction
from .results import Results
from .study import Study

File = Union[str, Path]
Overrides = Optional[Mapping[str, Any]]

FAILED = 1  # exit code of a study with a failed point, or a check that does not hold


def run(scenario: File = "demo", set: Overrides = None, *, out: Optional[File] = None, seed: Optional[int] = None,
        options: Sequence[str] = (), progress: bool = False) -> Results:
    """Runs a scenario: a YAML file, or the name of a shipped one.

    `set`: keys of the scenario and their values, such as {"workload.batch": 4, "system.core.clock": "2 GHz"}.
    `out`: the results' folder; default out/<scenario>, with a hash of what else is given. `options`: further ones of
    `levee run`, such as ["--bounds"]. LeveeError, with the program's message, if it cannot run or fails."""
    arguments = overrides(set) + ([] if seed is None else ["--seed", str(seed)]) + words(options, "options")
    folder = folder_for(scenario, out, arguments)
    call(["run", str(scenario), "--quiet", "--out", str(folder), *arguments], progress)
    return Results(folder)


def sweep(study: Union[File, Mapping[str, Any]], set: Overrides = None, *, out: Optional[File] = None,
          jobs: Optional[int] = None, options: Sequence[str] = (), progress: bool = True, strict: bool = True) -> Study:
    """Runs a study (docs/sweeps.md): a YAML file, the name of a shipped one, or its content as a map.

    Points that the folder holds already do not run again. LeveeError if it cannot be used, or, `strict`, if a point
    failed or a check does not hold: its `results` is then the study."""
    return study_of("sweep", study, overrides(set), out, jobs, options, progress, strict)


def explore(study: Union[File, Mapping[str, Any]], set: Overrides = None, *, points: Optional[int] = None,
            seed: Optional[int] = None, optimiser: Optional[File] = None, out: Optional[File] = None,
            jobs: Optional[int] = None, options: Sequence[str] = (), progress: bool = True,
            strict: bool = True) -> Study:
    """Runs the points of a study that an optimiser proposes (docs/sweeps.md): `points` of them; else as sweep().
    `optimiser`: a Python file that calls optimise(), in place of the shipped one."""
    further = ([] if points is None else ["--points", str(points)]) + ([] if seed is None else ["--seed", str(seed)])
    further += [] if optimiser is None else ["--optimiser", str(optimiser)]
    return study_of("explore", study, overrides(set) + further, out, jobs, options, progress, strict)


def compare(first: Union[File, Results], *others: Union[File, Results], out: Optional[File] = None) -> Comparison:
    """What explains the differences of runs to the first one. Each is a folder, or what run() returned."""
    folders = [str(one.folder if isinstance(one, Results) else one) for one in (first, *others)]
    folder = folder_for("compare", out, folders)
    call(["compare", *folders, "--out", str(folder)])
    return Comparison(folder)


def reproduce(paper: str, only: Sequence[str] = (), *, out: Optional[File] = None, options: Sequence[str] = (),
              progress: bool = True, strict: bool = True) -> Reproduction:
    """A paper's evaluation (docs/reproduce.md): all of it, or `only` rows and plots by name. `strict`: LeveeError if
    a run failed or a number is not where it is expected."""
    arguments = (["--only", *words(only, "only")] if only else []) + words(options, "options")
    folder = folder_for("reproduce-" + paper, out, arguments)
    error = attempt(["reproduce", paper, "--out", str(folder), *arguments], progress)
    reproduction = Reproduction(folder)
    raise_if(error, strict, reproduction)
    return reproduction


def results(folder: File) -> Union[Results, Study, Comparison, Reproduction]:
    """What a folder of `--out` holds, by the files in it."""
    if (Path(folder) / "faults.json").is_file():
        raise LeveeError(f"{folder}: holds a fault campaign, which has no class here; its tables are faults.csv, sites.csv and parts.csv")
    for file, kind in (("sweep.json", Study), ("compare.json", Comparison), ("comparison.csv", Reproduction),
                       ("results.json", Results)):
        if (Path(folder) / file).is_file():
            return kind(folder)
    raise LeveeError(f"{folder}: holds no results; expected results.json, sweep.json, compare.json or comparison.csv")


def overrides(values: Overrides) -> list:
    if values is not None and not isinstance(values, Mapping):
        raise TypeError(f"set is {values!r}; expected a map of keys and values, such as {{\"workload.batch\": 4}}")
    return [word for key, value in (values or {}).items() for word in ("--set", override(key, value))]


def words(values: Sequence[str], name: str) -> list:
    if isinstance(values, (str, bytes)) or not all(isinstance(value, str) for value in values):
        example = '["--bounds"]' if name == "options" else '["P001"]'
        raise TypeError(f"{name} is {values!r}; expected a list of texts, such as {example}")
    return list(values)


def folder_for(name: File, out: Optional[File], arguments: Sequence[str]) -> Path:
    """`out`, or a folder that other arguments do not share."""
    if out is not None:
        return Path(out)
    text = json.dumps([str(name), *arguments])
    suffix = "-" + hashlib.sha256(text.encode()).hexdigest()[:8] if arguments else ""
    return Path("out") / (Path(name).stem + suffix)


def study_of(command: str, study: Union[File, Mapping[str, Any]], arguments: list, out: Optional[File],
             jobs: Optional[int], options: Sequence[str], progress: bool, strict: bool) -> Study:
    further = [] if jobs is None else ["--jobs", str(jobs)]
    arguments = arguments + words(options, "options")
    with file_of(study) as (file, name, content):
        folder = folder_for(name, out, [command, *arguments, *content])
        error = attempt([command, str(file), "--out", str(folder), *arguments, *further], progress)
    if error is not None and not (folder / "sweep.json").exists():
        raise error  # It has stopped before the table.
    ended = Study(folder)
    raise_if(error, strict, ended)
    return ended


def attempt(arguments: Sequence[str], progress: bool) -> Optional[LeveeError]:
    """The error of a command that has ended with FAILED, and has written its results nevertheless."""
    try:
        call(arguments, progress)
    except LeveeError as error:
        if error.code != FAILED:
            raise
        return error
    return None


def raise_if(error: Optional[LeveeError], strict: bool, found: Any) -> None:
    if error is not None and strict:
        error.results = found
        raise error


@contextmanager
def file_of(study: Union[File, Mapping[str, Any]]) -> Iterator[Tuple[File, File, Sequence[str]]]:
    """The study's file, what its folder is named after, and what distinguishes maps of one name. A map is in a file of
    the current folder meanwhile, which its relative names so mean; error messages name it."""
    if not isinstance(study, Mapping):
        yield study, study, []
        return
    text = json.dumps(dict(study), indent=2, ensure_ascii=False, default=plain)
    name = study.get("name") or "study-" + hashlib.sha256(text.encode()).hexdigest()[:8]
    content = json.dumps({"name": name, **json.loads(text)}, indent=2, ensure_ascii=False)  # JSON is YAML
    try:
        file = tempfile.NamedTemporaryFile("w", prefix=".study-", suffix=".yaml", dir=".", encoding="utf-8")
    except OSError as error:
        raise LeveeError(f"{Path.cwd()}: {error.strerror}; a study that is a map is written there meanwhile") from error
    with file:
        file.write(content + "\n")
        file.flush()
        yield Path(file.name).name, f"{name}.yaml", [content]
