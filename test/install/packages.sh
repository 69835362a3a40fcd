#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# packages.sh ROOT BUILD FOLDER PYTHON: makes tarball and wheel of BUILD, and runs the demo from each. It runs like a
# user who has neither the tree nor the packages used in the build. Skipped (77) if tools to make them are missing.
set -eu
root=$1
build=$2
folder=$3
python=$4
if ! { command -v patchelf >/dev/null && "$python" -c 'import setuptools, wheel, pip, venv, ensurepip' 2>/dev/null; }; then
    echo "skipped: needs patchelf, python3-pip, python3-setuptools, python3-wheel and python3-venv"
    exit 77
fi
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
LEVEE_BUILD=$build LEVEE_PACKAGES=$folder/packages LEVEE_PYTHON=$python "$root/tools/package.sh" tarball wheel >/dev/null

# told NAME PROGRAM prints the demo's first tokens. PROGRAM runs in an empty environment.
told() {
    mkdir "$1"
    (cd "$1" && env -i PATH=/usr/bin:/bin HOME="$folder" "$2" run demo --set workload.max_new_tokens=5 --out out >text)
}

tar -xzf packages/levee-*.tar.gz
told unpacked "$(echo "$folder"/levee-*/bin/levee)"
"$python" -m venv venv
venv/bin/pip install --quiet --no-index packages/levee-*.whl
told wheel "$folder/venv/bin/levee"
told built "$build/platform/levee"
for kind in unpacked wheel; do
    "$python" - built/out/results.json $kind/out/results.json <<'PYTHON'
import json
import sys

built, packed = (json.load(open(file)) for file in sys.argv[1:])
for content in (built, packed):
    content["metrics"] = {name: value for name, value in content["metrics"].items() if not name.startswith("host.")}
assert built["text"] == packed["text"] and built["metrics"] == packed["metrics"], f"{sys.argv[2]}: the results differ from the build's"
PYTHON
done

# The wheel includes its libraries, except those of the C library and the compiler.
if ldd "$folder"/venv/bin/levee | grep '=> /' | grep -v "$folder" | grep -vE 'lib(c|m|gcc_s|stdc\+\+)\.so'; then
    echo "the wheel lacks these libraries:"
    exit 1
fi
# `levee init` makes a project, and the project's firmware builds if there is a cross compiler.
(cd "$folder" && env -i PATH="$folder/venv/bin:/usr/bin:/bin" sh -euc '
    levee init mine
    command -v riscv64-unknown-elf-gcc >/dev/null || exit 0
    cmake -S mine/firmware -B mine/firmware/build
    cmake --build mine/firmware/build
    levee run --app mine/firmware/build/main.elf | grep -x "4321 -7235"') >project.log || {
    cat project.log
    exit 1
}
# The Python package finds the program, and names the packages that tables need.
env -i PATH=/usr/bin:/bin HOME="$folder" venv/bin/python - <<'PYTHON'
import levee

run = levee.run("demo", set={"workload.max_new_tokens": 3}, out="python")
assert run["decode.tokens_per_s"] > 0 and "venv/bin/levee" in levee.program()
try:
    run.metrics
    raise SystemExit("metrics without pandas")
except levee.LeveeError as error:
    assert "python3-pandas" in str(error), error
PYTHON
