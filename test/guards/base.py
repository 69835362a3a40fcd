# SPDX-License-Identifier: Apache-2.0
"""The base of the guard: a revision's tree, its build, and the differences that later commits have accepted."""
import fnmatch
import re
import shutil
import subprocess
import sys
import tarfile

from runs import Failure, side_of

CACHED_TREE = re.compile(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", re.MULTILINE)
ACCEPT = re.compile(r"^(Guard-Accept(-Platform)?):[ \t]*(.*(?:\n[ \t]+\S.*)*)", re.MULTILINE)


def say(text):
    print(f"guard: {text}", flush=True)


def git(tree, *arguments):
    done = subprocess.run(["git", "-C", tree, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"git {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def commit_of(tree, revision):
    return git(tree, "rev-parse", "--verify", "--end-of-options", revision + "^{commit}").strip()


def export(tree, commit, folder):
    """Writes the files of a commit to a plain folder. The folder is not a git worktree, so git keeps no record
    of it."""
    if (folder / "CMakeLists.txt").is_file():
        return
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    with subprocess.Popen(["git", "-C", tree, "archive", commit], stdout=subprocess.PIPE) as archive:
        with tarfile.open(fileobj=archive.stdout, mode="r|") as files:
            files.extractall(partial)
    if archive.returncode:
        raise Failure(f"git archive {commit} failed")
    partial.rename(folder)


def build(tree, folder):
    """Builds the program and the firmware of a tree as ./levee does."""
    if not (folder / "build.ninja").is_file():
        call(["cmake", "-G", "Ninja", "-S", tree, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DLEVEE_UNITY=ON",
              "-DLEVEE_TESTS=OFF"], folder, "configure.log")
    call(["cmake", "--build", folder, "--target", "levee", "levee_firmware"], folder, "build.log")


def call(arguments, folder, log):
    """Runs a step of a build. A terminal shows the numbers of its steps; a file gets all its
    output."""
    folder.mkdir(parents=True, exist_ok=True)
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    with open(folder / log, "w", buffering=1) as file, subprocess.Popen(arguments, **options) as process:
        for line in process.stdout:
            file.write(line)
            if sys.stderr.isatty() and re.match(r"\[\d+/\d+\]", line):
                print(f"\r\033[K{line.split(']')[0]}]", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    if process.returncode:
        raise Failure(f"'{' '.join(map(str, arguments))}' failed; its output is in {folder / log}")


def built(tree, revision, cache):
    """Returns the base of a revision. Builds the base in the cache unless it is already
    there."""
    commit = commit_of(tree, revision)
    folder = cache / commit[:16]
    say(f"base {revision} is {commit[:12]}: its tree and a Release build{with_ccache()} in {folder}"
        f" (how far it is: {folder / 'build' / 'build.log'})")
    export(tree, commit, folder / "tree")
    build(folder / "tree", folder / "build")
    return side_of("base", folder / "tree", folder / "build")


def with_ccache():
    return " with ccache" if shutil.which("ccache") else ", without ccache (not installed),"


def given(folder):
    """Returns the base to which a build folder belongs."""
    cache = folder / "CMakeCache.txt"
    found = CACHED_TREE.search(cache.read_text()) if cache.is_file() else None
    if not found:
        raise Failure(f"--base-build {folder}: no CMakeCache.txt; expected the build folder of a tree")
    side = side_of("base", type(folder)(found[1]), folder)
    if not side.program.is_file():
        raise Failure(f"--base-build {folder}: no {side.program.relative_to(folder)}; expected a built tree")
    return side


class Accepted:
    """The cases in which commits accept a difference. A line `Guard-Accept: CASE[, CASE]... why` in a commit
    message accepts a difference in firmware, and `Guard-Accept-Platform` a difference in firmware or
    platform."""

    def __init__(self):
        self.lines = []  # each has a pattern, whether it covers the platform, the commit, and the reason

    def read(self, commit, message):
        for found in ACCEPT.finditer(message):
            words = found[3].split()
            names = []
            while words:
                names.append(words.pop(0))
                if not names[-1].endswith(","):
                    break
            why = " ".join(words)
            if not why:
                raise Failure(f"commit {commit}: '{found[1]}: {found[3]}' gives no reason; "
                              f"expected '{found[1]}: CASE[, CASE]... why'")
            self.lines += [(name.rstrip(","), bool(found[2]), commit, why) for name in names]

    def reason(self, case):
        """Returns the commit that accepts a difference in this case, and the commit's reason; None if no commit
        does. `of_platform`: the difference is in the platform."""
        return next((f"{commit}: {why}" for pattern, of_platform, commit, why in self.lines
                     if fnmatch.fnmatchcase(case.name, pattern) and (of_platform or not case.of_platform)), None)

    def unknown(self, cases):
        return [f"{commit} accepts '{pattern}', which is no case" for pattern, _, commit, _ in self.lines
                if not any(fnmatch.fnmatchcase(case, pattern) for case in cases)]


def accepted(tree, revision):
    found = Accepted()
    for entry in git(tree, "log", "--format=%h%x00%B%x01", f"{commit_of(tree, revision)}..HEAD").split("\x01"):
        if entry.strip():
            found.read(*entry.strip().split("\0"))
    return found
