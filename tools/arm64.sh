#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the program for 64-bit Arm on another Debian machine, and runs a scenario with it under QEMU and with this
# machine's own program:
#
#   tools/arm64.sh [SCENARIO]   build, run both, and compare text and metrics (default: demo)
#
# Text and metrics must be equal, except host.*, which depend on the host. Everything is in out/arm64: the packages for
# arm64 are only unpacked there, and nothing on this machine is changed. Needs mmdebstrap, qemu-user-static,
# g++-aarch64-linux-gnu, python3, and the built tree (./levee build) or LEVEE_PROGRAM.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
cd "$root"
folder=${LEVEE_ARM64:-out/arm64}
program=${LEVEE_PROGRAM:-build/platform/levee}
scenario=${1:-demo}
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-bookworm}") # the Debian release of the cross compiler
jobs=${LEVEE_JOBS:-$(nproc)}
packages="libc6-dev libsystemc-dev libspdlog-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev
    zlib1g-dev libisal-dev libasio-dev libxxhash-dev libpcre2-dev libutf8proc-dev"

fail() {
    printf 'arm64.sh: %s\n' "$*" >&2
    exit 1
}

case ${1:-} in
-h | --help) sed -n '3,10s/^# \{0,1\}//p' "$0" && exit ;;
-*) fail "no option '$1'; expected a scenario, or --help" ;;
esac
[ $# -le 1 ] || fail "expected at most one scenario"

needs() {
    command -v "$1" >/dev/null || fail "'$1' is missing; on Debian: apt-get install $2"
}

needs mmdebstrap mmdebstrap
needs qemu-aarch64-static qemu-user-static
needs aarch64-linux-gnu-g++ g++-aarch64-linux-gnu
[ -x "$program" ] || fail "$program is not built; call ./levee build first, or set LEVEE_PROGRAM"
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
sysroot=$folder/sysroot

# The sysroot gets its name only after the download, so that an interrupted download does not look complete. `extract`
# does not run the packages' scripts.
if [ ! -d "$sysroot" ]; then
    rm -rf "$sysroot.part"
    # shellcheck disable=SC2086
    mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$(echo $packages | tr ' ' ,)" \
        "$release" "$sysroot.part" "${LEVEE_MIRROR:-http://deb.debian.org/debian}"
    mv "$sysroot.part" "$sysroot"
fi

cmake -G Ninja -S . -B "$folder/build" --toolchain cmake/arm64.cmake -DLEVEE_SYSROOT="$sysroot" \
    -DCMAKE_BUILD_TYPE=Release -DLEVEE_UNITY=ON -DLEVEE_TESTS=OFF >"$folder/configure.log" 2>&1 || {
    tail -n 30 "$folder/configure.log" >&2
    fail "configuring failed; the whole log is in $folder/configure.log"
}
cmake --build "$folder/build" --parallel "$jobs" --target levee levee_firmware >"$folder/build.log" 2>&1 || {
    tail -n 60 "$folder/build.log" >&2
    fail "the build failed; the whole log is in $folder/build.log"
}

rm -rf "$folder/native" "$folder/arm64"
"$program" run "$scenario" --out "$folder/native" >"$folder/native.text"
qemu-aarch64-static -L "$sysroot" "$folder/build/platform/levee" run "$scenario" --out "$folder/arm64" >"$folder/arm64.text"
python3 - "$folder/native/results.json" "$folder/arm64/results.json" <<'PYTHON'
import json
import sys

native, arm = (json.load(open(file, encoding="utf-8")) for file in sys.argv[1:])


def same(name):
    return not name.startswith("host.")


names = sorted(filter(same, native["metrics"].keys() | arm["metrics"].keys()))
differ = [name for name in names if native["metrics"].get(name) != arm["metrics"].get(name)]
for name in differ:
    print(f"{name}: {native['metrics'].get(name)} here, {arm['metrics'].get(name)} on arm64")
if native.get("text") != arm.get("text"):
    sys.exit("the texts differ")
if differ:
    sys.exit(f"{len(differ)} of {len(names)} metrics differ")
print(f"text and {len(names)} metrics are equal here and on arm64")
PYTHON
