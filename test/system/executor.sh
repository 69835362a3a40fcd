#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# executor.sh LEVEE FOLDER: runs a sweep with one command per shard, and compares its tables with
# those of the same sweep without shards. Repeats this after shards were lost or killed.
set -eu
levee=$1
folder=$2

fail() {
    echo "failed: $*"
    cat sweep.log
    exit 1
}

same_tables() {
    for table in table.csv points.csv table.txt sweep.json; do
        cmp "here/$table" "$1/$table" || fail "$table differs $2"
    done
}

# sweep FOLDER EXPECTED-CODE COMMAND: runs the sweep with COMMAND as its executor, and checks the
# exit code.
sweep() {
    code=0
    "$levee" sweep study.yaml --out "$1" --jobs 1 --tasks 6 --executor "$3" >sweep.log 2>&1 || code=$?
    [ "$code" = "$2" ] || fail "the exit code is $code; expected $2"
}

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cat >study.yaml <<'STUDY'
scenario: hello.yaml
axes:
  system.core.clock: {from: 100 MHz, to: 4 GHz, steps: 12, scale: log}
  ram: {key: system.memories.ram.size, values: [4 MiB, 8 MiB]}
columns: [sim.seconds, core.cycles]
STUDY
"$levee" sweep study.yaml --out here --quiet
sweep there 0 '{job} {shard}'
same_tables there "by commands"
[ "$(find there/tasks -name 'task-*.log' | wc -l)" = 6 ] || fail "six tasks should have run"

# One task is lost, and another is killed in the middle of its shard. Completed runs are kept, and
# the same command executes the remaining ones.
sweep lost 1 'case {shard}/{shards} in 3/6) ;; 4/6) {job} {shard} & sleep 0.1; kill -9 $!; kill -9 $$ ;; *) {job} {shard} ;; esac'
grep -q "shard 4/6 was ended by signal 9; see .*task-4.log" sweep.log || fail "the killed task is not named"
grep -q "shard 3/6: 4 of its 4 runs did not finish; see .*task-3.log" sweep.log || fail "the silent task is not named"
done=$(cat lost/*.journal | wc -l)
[ "$done" -ge 16 ] && [ "$done" -le 20 ] || fail "$done records are kept, expected 16 to 20"
sweep lost 0 '{job} {shard}'
grep -Eq "(16|17|18|19|20) of 24 runs are done already" sweep.log || fail "completed runs were not kept"
same_tables lost "after a loss"

# A task stops halfway with the code of a sweep with failed points.
sweep half 1 '{job} {shard}; [ {shard} != 2 ] || { f=half/points-2-of-6.journal; head -n 1 $f >cut; cp cut $f; exit 1; }'
grep -q "shard 2/6: 3 of its 4 runs did not finish; see .*task-2.log" sweep.log || fail "the task that stopped is not named"
grep -q "shard 1/6" sweep.log && fail "a complete task is named"

sweep never 2 'qsub job.sh'
grep -q "expected local, slurm, or a command with {shard}" sweep.log || fail "a command without a shard was not refused"
sweep empty 2 ''
grep -q "'' is not an executor" sweep.log || fail "an empty command was not refused"
sweep none 1 'no-such-command-here {shard}'
grep -q "shard 1/6 ended with code 127" sweep.log || fail "a command that does not exist was not named"
sweep refused 1 'false {shard}'
grep -q "shard 1/6 ended with code 1; see .*task-1.log" sweep.log || fail "a command that fails was not named"
echo "passed"
