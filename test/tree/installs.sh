#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# installs.sh ROOT FOLDER: tests how ./levee calls apt-get, in FOLDER, where a script replaces apt-get. ./levee must
# wait for other package managers' locks, and a failing installation must end the command.
set -eu
root=$1
folder=$2

rm -rf "$folder"
mkdir -p "$folder/tree/build" "$folder/tools"
cp "$root/levee" "$folder/tree"
# Only these tools are on the PATH; there is no browser and no Node.js.
for tool in sh env readlink dirname cat grep mkdir flock id uname nproc find rm tee touch tail; do
    ln -s "$(command -v $tool)" "$folder/tools/$tool"
done
stand_in() {
    printf '#!/bin/sh\n%s\n' "$2" >"$folder/tools/$1"
    chmod +x "$folder/tools/$1"
}
stand_in dpkg-query :
stand_in sudo 'exec "$@"'
stand_in sleep "echo slept >>'$folder/calls'"
stand_in cmake "echo cmake >>'$folder/calls'; exit 1"

# levee COMMAND APT: runs ./levee COMMAND with an apt-get that executes APT. The calls are in $folder/calls.
levee() {
    stand_in apt-get "echo apt-get \"\$@\" >>'$folder/calls'; all=\" \$* \"; calls='$folder/calls'; $2"
    : >"$folder/calls"
    code=0
    PATH=$folder/tools LEVEE_NO_INSTALL=0 "$folder/tree/levee" $1 >"$folder/said" 2>&1 || code=$?
}
wrong() {
    echo "$1"
    cat "$folder/calls" "$folder/said"
    exit 1
}

for command in build test docs "run demo"; do
    levee "$command" :
    grep -q "^apt-get.* install " "$folder/calls" || wrong "./levee $command installs nothing"
    if grep "^apt-get" "$folder/calls" | grep -vF -- "-o DPkg::Lock::Timeout=300 "; then
        wrong "./levee $command does not wait for another package manager"
    fi

    levee "$command" 'case $all in *" install "*) echo broken; exit 100 ;; esac'
    [ "$code" = 1 ] || wrong "./levee $command goes on where nothing could be installed: exit code $code"
    grep -q "^levee: apt-get could not install: " "$folder/said" || wrong "./levee $command does not say what is missing"
    if grep "^cmake" "$folder/calls"; then wrong "./levee $command builds where nothing could be installed"; fi
done

levee test 'case $all in *" chromium "*) exit 100 ;; esac'
[ "$code" = 1 ] && grep -q "could not install: .*chromium" "$folder/said" ||
    wrong "./levee test goes on without a browser"
if grep "^cmake" "$folder/calls"; then wrong "./levee test builds without a browser"; fi

# Two attempts find the lock of the package lists held; the third gets it.
levee build 'case $all in *" update "*)
    [ "$(grep -c slept "$calls")" = 2 ] || { echo "E: Could not get lock /var/lib/apt/lists/lock."; exit 100; } ;; esac'
grep -q "^apt-get.* install " "$folder/calls" || wrong "./levee build does not wait for the lock of the package lists"
levee build 'case $all in *" update "*) echo "E: no network"; exit 100 ;; esac'
grep -q "E: no network" "$folder/said" && [ "$code" = 1 ] && ! grep -q slept "$folder/calls" ||
    wrong "./levee build waits for what is no lock, or goes on"
