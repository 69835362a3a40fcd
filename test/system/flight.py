#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""flight.py LEVEE EXPLORE FOLDER tests an exploration by workers that share a folder and are killed while they run.
The log must allow the exploration to be repeated. EXPLORE is the folder of proposer.py. Without Optuna the test
is skipped (77)."""
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time

levee, explore, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
sys.path.insert(0, explore)
import proposer  # noqa: E402

if proposer.optuna is None:
    print("skipped: no Optuna (python3-optuna)")
    sys.exit(77)
proposer.optuna.logging.set_verbosity(proposer.optuna.logging.ERROR)

POINTS = 24
STUDY = f"""scenario: hello.yaml
axes:
  clock: {{key: system.core.clock, from: 100 MHz, to: 1 GHz, steps: 10}}
  bus: {{key: system.bus.latency, values: [40 ns, 30 ns, 20 ns, 10 ns, 2 ns]}}
  width: {{key: system.bus.port_bandwidth, values: [4 GB/s, 8 GB/s, 16 GB/s]}}
where: width != 8 GB/s
points: {{slow: system.core.clock=50 MHz}}
columns: {{us: {{metric: sim.seconds, scale: 1e6}}, cycles: core.cycles}}
objectives: {{minimize: [us, cycles]}}
checks: [us(best) < us(slow)]
explore: {{points: {POINTS}}}
"""
TABLES = ["table.csv", "points.csv", "table.txt", "sweep.json"]


def start(out, *options):
    jobs = [] if "--jobs" in options else ["--jobs", "1"]
    return subprocess.Popen([levee, "explore", "study.yaml", "--out", out, *jobs, *options], cwd=folder,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def run(out, *options, code=0):
    process = start(out, *options)
    said = process.communicate()[0]
    assert process.returncode == code, f"{options}: {process.returncode}, expected {code}\n{said}"
    return said


def log_of(out):
    lines = (folder / out / "trials.log").read_text().splitlines()
    return [json.loads(line.split(" ", 1)[1]) for line in lines]


def trials_of(out):
    return [entry for entry in log_of(out)[1:] if "trial" in entry]


def tables_of(out):
    return {name: (folder / out / name).read_bytes() for name in TABLES}


def check_whole(out):
    """Checks that every trial ended once, and that no two trials have the same point."""
    entries = log_of(out)[1:]
    ended = [entry["ended"] for entry in entries if "ended" in entry]
    assert sorted(set(ended)) == list(range(POINTS + 1)), sorted(ended)
    names = [line.split(",")[0] for line in (folder / out / "points.csv").read_text().splitlines()[1:]]
    assert len(set(names)) == POINTS + 1 and names[0] == "slow", names
    assert not any(name.endswith("/8 GB/s") for name in names), names


def check_repeated_by_log(out):
    """Checks that each proposal is reproducible: it must follow from the log entries that it names, its worker
    and its attempt."""
    head, *entries = log_of(out)
    steps = []
    proposals = 0
    optimiser = None
    for entry in entries:
        if "trial" in entry and "known" in entry:
            optimiser = proposer.InFlight(head["dimensions"], len(head["objectives"]), head["seed"])
            optimiser.learn_entries(steps[:entry["known"]])
            assert optimiser.place(entry["attempt"], entry["by"]) == entry["place"], entry
            proposals += 1
        if "trial" in entry:
            steps.append({"trial": entry["trial"], "place": entry["place"]} if entry["place"] else None)
        elif "ended" in entry:
            steps.append({"ended": entry["ended"], "values": entry["values"]} if entry["ended"] != 0 else None)
    assert optimiser is not None and proposals > POINTS // 2, f"{proposals} proposals"


def killed_workers():
    workers = [start("killed", "--shard", f"{i}/3") for i in (1, 2, 3)]
    while not (folder / "killed/trials.log").exists() or len(trials_of("killed")) < 6:
        time.sleep(0.02)
    workers[1].send_signal(signal.SIGKILL)
    for worker in workers:
        worker.communicate()
    assert workers[0].returncode == workers[2].returncode == 0, [worker.returncode for worker in workers]
    # The trials of the killed worker are run first.
    run("killed")
    check_whole("killed")


def all_killed():
    workers = [start("again", "--shard", f"{i}/2") for i in (1, 2)]
    while not (folder / "again/trials.log").exists() or len(trials_of("again")) < 10:
        time.sleep(0.02)
    for worker in workers:
        worker.kill()
        worker.communicate()
    run("again", "--shard", "2/2")
    said = run("again")
    assert "25 of 25 runs are done already" in said, said
    check_whole("again")


def executor():
    said = run("tasks", "--tasks", "2", "--executor", "{job} {shard}")
    assert "holds  us(best) < us(slow)" in said, said
    check_whole("tasks")
    by = {entry["by"] for entry in trials_of("tasks")}
    assert by <= {"points-1-of-2", "points-2-of-2"}, by
    lost = run("lost", "--tasks", "2", "--executor", "exit {shard}", code=1)
    assert "25 trials are left; the same command runs them" in lost, lost


def repeated(out):
    """Checks that the log alone leads to the same tables in another folder."""
    (folder / "repeated").mkdir()
    shutil.copy(folder / out / "trials.log", folder / "repeated")
    run("repeated", "--jobs", "2")
    assert tables_of("repeated") == tables_of(out), "the log leads to other tables"


def one_process():
    run("alone", "--in-flight", "--jobs", "3")
    check_whole("alone")
    before = tables_of("alone")
    run("alone")
    assert tables_of("alone") == before
    run("alone", "--points", str(POINTS + 4))
    assert len(trials_of("alone")) == POINTS + 5
    run("alone", "--points", "10")
    assert len(trials_of("alone")) == POINTS + 5, "a smaller budget proposes further points"
    other = run("alone", "--seed", "2", code=2)
    assert "different axes, objectives, named points, common settings, optimiser or seed" in other, other
    assert "the same command continues it" not in other, other
    refused = run("alone", "--no-resume", "--shard", "1/2", code=2)
    assert "'--no-resume' cannot be used with '--shard'" in refused, refused
    run("alone", "--no-resume", "--seed", "2")
    assert not (folder / "alone/trials.log").exists(), "an exploration by generations has no log of trials"


def with_set():
    """Checks that an override of the command line applies to named points and to proposed points, and is part of
    the log."""
    run("set", "--in-flight", "--points", "4", "--set", "seed=7")
    run("set", "--points", "5", "--set", "seed=7")
    other = run("set", "--points", "6", code=2)
    assert "different axes, objectives, named points, common settings, optimiser or seed" in other, other


def damaged():
    """Checks that a log with a damaged header is refused. The program must not run an exploration by generations
    instead."""
    run("damaged", "--in-flight", "--points", "6")
    log = folder / "damaged/trials.log"
    text = log.read_text()
    log.write_text(("1" if text[0] == "0" else "0") + text[1:])
    refused = run("damaged", "--points", "6", code=2)
    assert "trials.log: has damaged lines; expected '--no-resume'" in refused, refused
    assert "the same command continues it" not in refused, refused
    run("damaged", "--points", "6", "--no-resume")
    assert not log.exists()


def two_kinds():
    """Checks that an exploration by generations and an asynchronous one cannot share a folder without an error."""
    run("kinds", "--points", "4")
    for options in (["--in-flight"], ["--shard", "1/2"], ["--executor", "{job} {shard}", "--tasks", "2"]):
        refused = run("kinds", "--points", "5", *options, code=2)
        assert "has an exploration in generations, which cannot continue with these options" in refused, refused
    run("kinds", "--points", "5", "--generation", "2")
    run("kinds", "--points", "5", "--in-flight", "--no-resume")
    run("kinds", "--points", "6")
    refused = run("kinds", "--points", "6", "--generation", "2", code=2)
    assert "--executor), which has no generations" in refused, refused
    run("kinds", "--points", "4", "--generation", "2", "--no-resume")


def options_without_executor():
    for options, name in ((["--tasks", "2"], "--tasks"), (["--sbatch=--exclusive"], "--sbatch"),
                          (["--tasks", "2", "--executor", "local"], "--tasks"),
                          (["--sbatch=--exclusive", "--executor", "{job} {shard}"], "--sbatch")):
        refused = run("options", "--points", "4", *options, code=2)
        assert refused.startswith(name + ": ") and "expected --executor slurm" in refused, refused


def whole_space():
    run("whole", "--in-flight", "--points", "150")
    assert len((folder / "whole/points.csv").read_text().splitlines()) == 1 + 1 + 100
    run("whole", "--points", "20")
    assert len((folder / "whole/points.csv").read_text().splitlines()) == 1 + 1 + 100


shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
(folder / "study.yaml").write_text(STUDY)
killed_workers()
check_repeated_by_log("killed")
repeated("killed")
all_killed()
check_repeated_by_log("again")
executor()
one_process()
with_set()
damaged()
two_kinds()
options_without_executor()
whole_space()
print("passed")
