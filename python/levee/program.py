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

CANNOT_BE_USED = 2  # exit code for an unusable command line, scenario or file


class LeveeError(RuntimeError):
    """The error of a failed command. It has the program's message, the exit code and, if there are any, the
    results."""

    def __init__(self, message: str, code: Optional[int] = None, command: Sequence[str] = (),
                 results: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.command = list(command)
        self.results = results


def program() -> str:
    """Returns the program's path: the LEVEE environment variable; or the program of the tree or prefix that
    contains this package (the tree's ./levee builds it first if necessary); or `levee` on the PATH. Raises
    LeveeError if there is none."""
    named = os.environ.get("LEVEE")
    if named:
        if not shutil.which(named):
            raise LeveeError(f"LEVEE is '{named}', which is not a program; expected Levee's, such as build/platform/levee")
        return named
    for folder in Path(__file__).resolve().parents:
        for file in ("build/platform/levee", "bin/levee"):
            if os.access(folder / file, os.X_OK) and (folder / file).is_file():
                return str(folder / file)
        if (folder / "levee").is_file() and (folder / "scenarios").is_dir():
            return str(folder / "levee")
    found = shutil.which("levee")
    if not found:
        raise LeveeError("no program 'levee' next to this package or on the PATH; set LEVEE to its path")
    return found


def version() -> str:
    """Returns the version, as `levee --version` prints it."""
    return call(["--version"]).strip()


def call(arguments: Sequence[str], progress: bool = False, allowed: Sequence[int] = (0,)) -> str:
    """Runs a command and returns its output. With `progress`, stderr is shown while the command runs. Raises
    LeveeError with the text of stderr if the exit code is not in `allowed`."""
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
        raise LeveeError("".join(said).strip() or f"levee ended with exit code {process.returncode}", process.returncode,
                         command)
    return text


def plain(value: Any) -> Any:
    """Converts values that JSON lacks: a path to a text, and numpy's numbers to Python's."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{value!r} is a {type(value).__name__}; expected numbers, texts, lists, maps or None")


def override(key: str, value: Any) -> str:
    """Returns KEY=VALUE in the form of `--set`. Lists and maps become YAML's flow form. Texts that YAML would
    read as another type are quoted. Numbers, true and false are not, because keys that expect a text accept
    them as texts."""
    if not isinstance(value, (str, int, float, list, tuple, dict, type(None))):
        value = plain(value)
    if isinstance(value, str) and is_plain(value):
        return f"{key}={value}"
    if isinstance(value, float):
        return f"{key}={value}"
    return f"{key}={json.dumps(value, ensure_ascii=False, default=plain)}"


def is_plain(text: str) -> bool:
    """Returns whether YAML reads the unquoted text unchanged, as a text or a number."""
    return (text.lower() not in ("", "~", "null") and text == text.strip() and text.isprintable()
            and text[0] not in "[]{},#&*!|>'\"%@`" and not text.startswith(("- ", "? ", ": ", "---", "..."))
            and ": " not in text and " #" not in text and text[-1] != ":" and text not in ("-", "?"))
