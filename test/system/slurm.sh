#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# slurm.sh LEVEE FOLDER: runs a sweep as a job array on a Slurm cluster of one node, this machine. Compares its tables
# with those of the same sweep without Slurm. Installs Slurm with apt-get if permitted. Exits with 77 if Slurm cannot be
# installed or started.
set -eu
levee=$1
folder=$2

skip() {
    echo "skipped: $*"
    exit 77
}

install_slurm() {
    command -v slurmctld >/dev/null && command -v munged >/dev/null && return
    [ "${LEVEE_NO_INSTALL:-0}" = 1 ] && skip "no Slurm here, and LEVEE_NO_INSTALL is set"
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || skip "no Slurm here, and not root on Debian"
    { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -q -y \
        --no-install-recommends slurm-wlm munge; } >apt.log 2>&1 || skip "apt-get cannot install slurm-wlm and munge"
}

# The cluster is one node of two cores. Except for two ports, everything is inside this folder.
write_configuration() {
    host=$(hostname -s)
    port=$((20000 + $$ % 10000))
    cat >slurm.conf <<CONF
ClusterName=levee
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/munge.socket
SlurmctldPort=$port
SlurmdPort=$((port + 10000))
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.pid
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
    export SLURM_CONF="$PWD/slurm.conf"
}

stop_daemons() {
    for daemon in slurmd slurmctld munged; do
        [ -s "$daemon.pid" ] && kill "$(cat "$daemon.pid")" 2>/dev/null || true
    done
}

start_daemons() {
    [ "$(id -u)" = 0 ] || skip "Slurm's daemons want to be root"
    mkdir state spool
    head -c 1024 /dev/urandom >key
    chmod 400 key
    trap stop_daemons EXIT
    munged --force --key-file="$PWD/key" --socket="$PWD/munge.socket" --pid-file="$PWD/munged.pid" \
        --log-file="$PWD/munged.log" --seed-file="$PWD/seed" || skip "munged does not start"
    slurmctld || skip "slurmctld does not start"
    slurmd || skip "slurmd does not start"
    tries=0
    until sinfo -h -o %T 2>/dev/null | grep -q idle; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || skip "the node does not become idle"
        sleep 0.2
    done
}

fail() {
    echo "failed: $*"
    cat sweep.log
    exit 1
}

# 24 points succeed, one fails and one is refused, in six tasks.
write_study() {
    cat >study.yaml <<'STUDY'
scenario: hello.yaml
axes:
  system.core.clock: {from: 100 MHz, to: 4 GHz, steps: 12, scale: log}
  ram: {key: system.memories.ram.size, values: [4 MiB, 8 MiB]}
points: {bad: system.memories.ram.size=4 KiB, worse: system.memories.ram.size=1 KiB}
columns: [sim.seconds, core.cycles]
STUDY
}

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
install_slurm
write_configuration
start_daemons
write_study
"$levee" sweep study.yaml --out here --quiet 2>/dev/null && fail "two points should fail"
code=0
"$levee" sweep study.yaml --out there --executor slurm --tasks 6 --sbatch=--partition=all >sweep.log 2>&1 || code=$?
[ "$code" = 1 ] || fail "the exit code is $code; expected 1"
for table in table.csv points.csv table.txt sweep.json; do
    cmp "here/$table" "there/$table" || fail "$table differs"
done
grep -q "25 of 25 runs done" sweep.log || fail "the last line does not report 25 runs"
[ "$(find there/slurm -name 'task-*.log' | wc -l)" = 6 ] || fail "six tasks should have run"
# Only failed runs are repeated.
"$levee" sweep study.yaml --out there --executor slurm --tasks 6 >sweep.log 2>&1 || true
grep -q "24 of 25 runs are done already" sweep.log || fail "completed runs were not kept"
cmp here/table.csv there/table.csv || fail "the second table differs"
# Workers of an exploration are tasks, too.
if /usr/bin/python3 -c 'import optuna' 2>/dev/null; then
    sed '/^points/d' study.yaml >space.yaml
    printf 'objectives: {minimize: [sim.seconds, core.cycles]}\nexplore: {points: 15}\n' >>space.yaml
    "$levee" explore space.yaml --out explored --executor slurm --tasks 3 >sweep.log 2>&1 || fail "the exploration has failed"
    [ "$(wc -l <explored/points.csv)" = 16 ] || fail "15 points should have been explored"
    [ "$(grep -c '"ended"' explored/trials.log)" = 15 ] || fail "15 trials should have ended"
fi
echo "passed"
