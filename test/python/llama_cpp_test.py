#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests tools/llama_cpp.py on a trained model, and on files of other families made from it.

LEVEE_LLAMA_CPP names a folder with node-llama-cpp. Without it the test exits with 77.
"""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = ROOT.parent / "shared" / "data" / "english20m"
TOKENS = 60
FAMILIES = ("gemma3", "qwen3moe")  # families of tools/llama_cpp_models.py


def compared(model, modules, out):
    """Returns the number of positions at which both programs find the same most probable token, and the ratio of
    Levee's perplexity to llama.cpp's."""
    run = subprocess.run([ROOT / "tools" / "llama_cpp.py", model, MODEL / "val_2k.txt", "--modules", modules,
                          "--out", out, "--tokens", str(TOKENS), "--levee", os.environ["LEVEE"]],
                         stdout=subprocess.PIPE, text=True, check=True)
    print(run.stdout)
    return int(re.search(r"the same: (\d+) of", run.stdout)[1]), float(re.search(r"ratio ([\d.]+)", run.stdout)[1])


def main():
    modules = pathlib.Path(os.environ.get("LEVEE_LLAMA_CPP", "/nowhere"))
    if not (modules / "node_modules" / "node-llama-cpp").is_dir() or not MODEL.is_dir():
        print("skipped: LEVEE_LLAMA_CPP names no folder with node-llama-cpp, or there is no", MODEL)
        return 77
    with tempfile.TemporaryDirectory() as out:
        same, ratio = compared(MODEL, modules, out)
        assert same >= 0.95 * TOKENS, same
        assert abs(ratio - 1) < 0.03, ratio  # the tolerance allows for INT8 rows and few tokens
        if importlib.util.find_spec("numpy") is None:
            print("no numpy: no other families")
            return 0
        maker = ROOT / "tools" / "llama_cpp_models.py"
        subprocess.run([sys.executable, "-B", maker, MODEL, out, *FAMILIES], check=True)
        for name in FAMILIES:
            same, ratio = compared(pathlib.Path(out) / f"{name}.gguf", modules, out)
            assert same >= 0.98 * TOKENS, (name, same)  # the import must not change weights
            assert abs(ratio - 1) < 0.005, (name, ratio)
    return 0


if __name__ == "__main__":
    sys.exit(main())
