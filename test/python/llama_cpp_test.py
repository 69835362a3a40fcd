#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/llama_cpp.py on a trained model, where LEVEE_LLAMA_CPP names a folder with node-llama-cpp (77: it does not)."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT.parent / "shared" / "data" / "english20m"
TOKENS = 60


def main():
    modules = pathlib.Path(os.environ.get("LEVEE_LLAMA_CPP", "/nowhere"))
    if not (modules / "node_modules" / "node-llama-cpp").is_dir() or not MODEL.is_dir():
        print("skipped: LEVEE_LLAMA_CPP names no folder with node-llama-cpp, or there is no", MODEL)
        return 77
    with tempfile.TemporaryDirectory() as out:
        run = subprocess.run([ROOT / "tools" / "llama_cpp.py", MODEL, MODEL / "val_2k.txt", "--modules", modules,
                              "--out", out, "--tokens", str(TOKENS), "--levee", os.environ["LEVEE"]],
                             stdout=subprocess.PIPE, text=True, check=True)
    print(run.stdout)
    same = int(re.search(r"the same: (\d+) of", run.stdout)[1])
    ratio = float(re.search(r"ratio ([\d.]+)", run.stdout)[1])
    assert same >= 0.95 * TOKENS, run.stdout
    assert abs(ratio - 1) < 0.03, run.stdout  # INT8 rows, few tokens
    return 0


if __name__ == "__main__":
    sys.exit(main())
