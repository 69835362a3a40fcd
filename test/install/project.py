#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""project.py BIN FOLDER [PART] tests the project that `levee init` makes, with the program in BIN. It runs every
command of the project's README (of all parts, or of all but the one whose name begins with PART), debugs its
firmware by its launch.json, and checks its files against its schemas."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

program_folder, folder = map(pathlib.Path, sys.argv[1:3])
left_out = sys.argv[3] if len(sys.argv) > 3 else None
project = folder / "mine"
plain_path = "/usr/local/bin:/usr/bin:/bin"


def run(command, code=0, path=f"{program_folder}:{plain_path}", cwd=project):
    ended = subprocess.run(command, shell=isinstance(command, str), cwd=cwd, env={**os.environ, "PATH": path},
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert ended.returncode == code, f"{command}: {ended.returncode}, expected {code}\n{ended.stdout}"
    return ended.stdout


def results(name):
    return json.loads((project / "out" / name / "results.json").read_text())


def make():
    levee = str(program_folder / "levee")
    assert f'export PATH="{program_folder}:$PATH"' in run([levee, "init", "mine"], path=plain_path, cwd=folder)
    assert "PATH" not in run(["levee", "init", "other"], cwd=folder)
    before = {file: file.read_bytes() for file in project.rglob("*") if file.is_file()}
    said = run([levee, "init", "mine"], code=2, cwd=folder)
    assert "mine: is not empty (it has '" in said and "expected a new folder, or an empty one" in said, said
    assert before == {file: file.read_bytes() for file in project.rglob("*") if file.is_file()}, "it was overwritten"
    (folder / "file").write_text("")
    assert "file: is not a folder" in run([levee, "init", "file"], code=2, cwd=folder)
    (folder / "dangling").symlink_to("nowhere/else")
    for unusable in ("file/inner", "", "dangling", "/proc/nowhere"):
        said = run([levee, "init", unusable], code=2, cwd=folder)
        assert said.startswith(f"{unusable or repr('')}: ") and "expected a folder that can be written" in said, said
    (folder / "empty").mkdir()
    run([levee, "init", "empty"], cwd=folder)


def follow_readme():
    ran = 0
    for part, commands in re.findall(r"\*\*(.+?)\.\*\*.*?```sh\n(.*?)```", (project / "README.md").read_text(), re.S):
        if part == left_out:
            continue
        for command in commands.splitlines():
            said = run(command)
            ran += 1
            if "cosim" in command:
                assert "equal, in values and cycles" in said, said
    assert ran == (6 if left_out else 8), f"{ran} commands of the README were run"


def check_results():
    assert results("scenario")["text"].startswith("Once upon a time"), results("scenario")["text"]
    assert len((project / "out/study/points.csv").read_text().splitlines()) == 1 + 6
    assert results("main")["text"] == "4321 -7235\n", results("main")["text"]
    assert results("argmax")["metrics"]["argmax.index"] == 123
    if left_out != "RTL":
        assert results("own_rtl")["metrics"]["evictor.lockstep.comparisons"] > 10_000


def debug():
    if not shutil.which("gdb-multiarch"):
        return print("the debugging test was skipped: gdb-multiarch is missing")
    launch = json.loads((project / ".vscode/launch.json").read_text())["configurations"][0]
    tasks = {task["label"]: task for task in json.loads((project / ".vscode/tasks.json").read_text())["tasks"]}
    task = tasks[launch["preLaunchTask"]]
    run(tasks[task["dependsOn"]]["command"])
    host, port = launch["miDebuggerServerAddress"].split(":")
    assert task["args"][-2:] == ["--gdb", port] and host == "localhost", "the debugger's port is not the run's"
    server = subprocess.Popen([task["command"], *task["args"][:-1], "0"], cwd=project, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "PATH": f"{program_folder}:{plain_path}"})
    ready = re.compile(task["problemMatcher"]["background"]["endsPattern"])
    line = next(line for line in server.stdout if ready.search(line))
    elf = launch["program"].replace("${workspaceFolder}", str(project))
    said = run([launch["miDebuggerPath"], "-q", "-batch", elf, "-ex", f"target remote {line.split()[-1]}", "-ex", "break main",
                "-ex", "continue", "-ex", "next", "-ex", "info source", "-ex", "kill"])
    server.wait()
    assert "Breakpoint 1, main ()" in said and f"Located in {project}/firmware/main.c" in said, said


def validate():
    try:
        import jsonschema
        import yaml
    except ImportError:
        return print("the schemas' test was skipped: python3-jsonschema or python3-yaml is missing")
    for name in ("scenario", "study", "own_rtl"):
        text = (project / f"{name}.yaml").read_text()
        schema = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text).group(1)
        validator = jsonschema.Draft7Validator(json.loads((project / schema).read_text()))
        validator.validate(yaml.safe_load(text))
        assert list(validator.iter_errors({"sytem": {}})), f"{schema} accepts a key that does not exist"


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
make()
follow_readme()
check_results()
debug()
validate()
print("passed")
