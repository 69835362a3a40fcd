# SPDX-License-Identifier: Apache-2.0
"""Finds Levee's program and calls it."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, List, Optional, Sequence

CANNOT_BE_USED = 2  # exit code for a command line, a scenario or a file


class LeveeError(RuntimeError):
    """A command that failed: what the program said, its exit code, and its results, if there are some."""

    def __init__(self, message: str, code: Optional[int] = None, command: Sequence[str] = (),
                 results: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.command = list(command)
        self.results = results


def program() -> str:
    """The program: the environment's LEVEE, or that of the tree or prefix in which this package lies (the tree's
    ./levee, which builds it, if it is not built), or `levee` on the PATH. LeveeError if there is none."""
    named = os.environ.get("LEVEE")
    if named:
        if not shutil.which(named):
            raise LeveeError(f"LEVEE is '{named}', which is no program; expected Levee's, such as build/platform/levee")
        return named
    for folder in Path(__file__).resolve().parents:
        for file in ("build/platform/levee", "bin/levee"):
            if os.access(folder / file, os.X_OK) and (folder / file).is_file():
                return str(folder / file)
        if (folder / "levee").is_file() and (folder / "scenarios").is_dir():
            return str(folder / "levee")
    found = shutil.which("levee")
    if not found:
        raise LeveeError("no program 'levee' beside this package or on the PATH; set LEVEE to it")
    return found


def version() -> str:
    """As `levee --version` says it."""
    return call(["--version"]).strip()


def call(arguments: Sequence[str], progress: bool = False, allowed: Sequence[int] = (0,)) -> str:
    """Runs a command and returns what it printed. `progress`: what it says on stderr is shown as it comes.
    LeveeError with that text if it ends with a code that is not `allowed`."""
    command = [program(), *arguments]
    said: List[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE,
                                       text=True, encoding="utf-8", errors="replace")
        except OSError as error:
            raise LeveeError(f"{command[0]}: {error.strerror}", command=command) from error
        with process:
            try:
                for line in process.stderr:  # type: ignore[union-attr]
                    said.append(line)
                    if progress:
                        sys.stderr.write(line)
            except BaseException:
                process.terminate()
                raise
        printed.seek(0)
        text = printed.read()
    if process.returncode not in allowed:
        raise LeveeError("".join(said).strip() or f"levee ended with {process.returncode}", process.returncode,
                         command)
    return text


def plain(value: Any) -> Any:
    """What JSON has no kind for: a path as its text, a number of numpy's as Python's."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} is a {type(value).__name__}; expected numbers, texts, lists, maps or None")


def override(key: str, value: Any) -> str:
    """KEY=VALUE as `--set` takes it. Lists and maps become YAML's flow form; a text that YAML would take for another
    thing is in quotes, but for numbers, true and false, which a key of texts takes as texts."""
    if not isinstance(value, (str, int, float, list, tuple, dict, type(None))):
        value = plain(value)
    if isinstance(value, str) and is_plain(value):
        return f"{key}={value}"
    if isinstance(value, float):
        return f"{key}={value}"
    return f"{key}={json.dumps(value, ensure_ascii=False, default=plain)}"


def is_plain(text: str) -> bool:
    """Whether YAML reads the text as it stands, and as a text or a number."""
    return (text.lower() not in ("", "~", "null") and text == text.strip() and text.isprintable()
            and text[0] not in "[]{},#&*!|>'\"%@`" and not text.startswith(("- ", "? ", ": ", "---", "..."))
            and ": " not in text and " #" not in text and text[-1] != ":" and text not in ("-", "?"))
