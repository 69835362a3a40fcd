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

FAILED = 1  # exit code of a study with a failed point, or with a failed check


def run(scenario: File = "demo", set: Overrides = None, *, out: Optional[File] = None, seed: Optional[int] = None,
        options: Sequence[str] = (), progress: bool = False) -> Results:
    """Runs a scenario, which is a YAML file or the name of a shipped one.

    `set`: keys of the scenario and their values, such as {"workload.batch": 4, "system.core.clock": "2 GHz"}.
    `out`: the folder for results; by default out/<scenario>, with a hash of the other arguments. `options`:
    further options of `levee run`, such as ["--bounds"]. Raises LeveeError with the program's message if the
    scenario cannot run or fails."""
    arguments = overrides(set) + ([] if seed is None else ["--seed", str(seed)]) + words(options, "options")
    folder = folder_for(scenario, out, arguments)
    call(["run", str(scenario), "--quiet", "--out", str(folder), *arguments], progress)
    return Results(folder)


def sweep(study: Union[File, Mapping[str, Any]], set: Overrides = None, *, out: Optional[File] = None,
          jobs: Optional[int] = None, options: Sequence[str] = (), progress: bool = True, strict: bool = True) -> Study:
    """Runs a study (docs/sweeps.md): a YAML file, the name of a shipped one, or its content as a map.

    Points whose results are already in the folder do not run again. Raises LeveeError if the study cannot be
    used. With `strict`, also raises it if a point failed or a check does not hold; the error's `results` is then
    the study."""
    return study_of("sweep", study, overrides(set), out, jobs, options, progress, strict)


def explore(study: Union[File, Mapping[str, Any]], set: Overrides = None, *, points: Optional[int] = None,
            seed: Optional[int] = None, optimiser: Optional[File] = None, out: Optional[File] = None,
            jobs: Optional[int] = None, options: Sequence[str] = (), progress: bool = True,
            strict: bool = True) -> Study:
    """Runs `points` points of a study, which an optimiser proposes (docs/sweeps.md). In all other respects the
    same as sweep(). `optimiser`: a Python file that calls optimise(), in place of the built-in one."""
    further = ([] if points is None else ["--points", str(points)]) + ([] if seed is None else ["--seed", str(seed)])
    further += [] if optimiser is None else ["--optimiser", str(optimiser)]
    return study_of("explore", study, overrides(set) + further, out, jobs, options, progress, strict)


def compare(first: Union[File, Results], *others: Union[File, Results], out: Optional[File] = None) -> Comparison:
    """Explains the differences between the first run and the others. Each run is a folder or the result of run()."""
    folders = [str(one.folder if isinstance(one, Results) else one) for one in (first, *others)]
    folder = folder_for("compare", out, folders)
    call(["compare", *folders, "--out", str(folder)])
    return Comparison(folder)


def reproduce(paper: str, only: Sequence[str] = (), *, out: Optional[File] = None, options: Sequence[str] = (),
              progress: bool = True, strict: bool = True) -> Reproduction:
    """Runs a paper's evaluation (docs/reproduce.md): all of it, or the rows and plots named in `only`. With
    `strict`, raises LeveeError if a run failed or a number differs from what is expected."""
    arguments = (["--only", *words(only, "only")] if only else []) + words(options, "options")
    folder = folder_for("reproduce-" + paper, out, arguments)
    error = attempt(["reproduce", paper, "--out", str(folder), *arguments], progress)
    reproduction = Reproduction(folder)
    raise_if(error, strict, reproduction)
    return reproduction


def results(folder: File) -> Union[Results, Study, Comparison, Reproduction]:
    """Reads a folder of `--out`. The files in it determine the kind of result."""
    if (Path(folder) / "faults.json").is_file():
        raise LeveeError(f"{folder}: holds a fault campaign, which this package cannot read; read its tables faults.csv, sites.csv and parts.csv")
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
    """Returns `out`, or a folder with a name that is different for different arguments."""
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
        raise error  # the study stopped before it wrote its table
    ended = Study(folder)
    raise_if(error, strict, ended)
    return ended


def attempt(arguments: Sequence[str], progress: bool) -> Optional[LeveeError]:
    """Runs a command. Returns the error of a command that ended with FAILED but has written its results."""
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
    """Returns the study's file, the name for its folder, and a text that distinguishes maps of the same name. A
    map is written to a temporary file in the current folder, because relative names in the map refer to that
    folder. Error messages name the file."""
    if not isinstance(study, Mapping):
        yield study, study, []
        return
    text = json.dumps(dict(study), indent=2, ensure_ascii=False, default=plain)
    name = study.get("name") or "study-" + hashlib.sha256(text.encode()).hexdigest()[:8]
    content = json.dumps({"name": name, **json.loads(text)}, indent=2, ensure_ascii=False)  # JSON is YAML
    try:
        file = tempfile.NamedTemporaryFile("w", prefix=".study-", suffix=".yaml", dir=".", encoding="utf-8")
    except OSError as error:
        raise LeveeError(f"{Path.cwd()}: {error.strerror}; a study given as a map is written there temporarily") from error
    with file:
        file.write(content + "\n")
        file.flush()
        yield Path(file.name).name, f"{name}.yaml", [content]
