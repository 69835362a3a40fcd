#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs small GGUF files of all families in llama.cpp, and compares the logits with this test suite's reference of
the families.

LEVEE_LLAMA_CPP names a folder with node-llama-cpp, which contains llama.cpp as a library. Without it the test
exits with 77. The files are those that test_gguf imports. llama.cpp's cache holds FP16, so logits differ by a
few thousandths.
"""

import ctypes
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOKENS = [3, 49, 0, 17, 17, 42, 8, 1, 30, 5, 22, 11]
VOCAB, MOST, FEWEST = 50, 0.02, 60  # Vocabulary size, largest allowed relative difference of logits, and least number
                                    # of files that llama.cpp must load.
# Models for which llama.cpp differs from their own code, or from the keys in these files.
OTHERWISE = {
    "Llama: yarn with own bounds": "it does not read the bounds for llama",
    "EXAONE 4": "it has a window in models of 64 layers alone",
    "EXAONE 4: pattern": "likewise",
    "Phi-3: longrope": "it takes the long factors, as its shortest context is longer",
    "Qwen3 MoE: weights of all": "it does not read expert_weights_norm for qwen3moe",
    "Qwen2 MoE: weights of the chosen": "likewise",
    "DeepSeek MoE: sigmoid": "it does not read expert_gating_func for deepseek",
}


class Parameters(ctypes.Structure):
    """A parameter structure with room for any version of llama.cpp, which does not read the bytes beyond its own
    structure."""

    _fields_ = [("bytes", ctypes.c_char * 1024)]


class Batch(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int32)] + [(name, ctypes.c_void_p) for name in "tebnsl"]


def library(folder):
    """Loads llama.cpp, which then runs without messages on one thread of the CPU."""
    load = {name: ctypes.CDLL(glob.glob(f"{folder}/lib{name}.*so*")[0], mode=ctypes.RTLD_GLOBAL)
            for name in ("ggml-base", "ggml", "llama")}
    load["ggml"].ggml_backend_load_all_from_path(str(folder).encode())
    llama, pointer = load["llama"], ctypes.c_void_p
    for name, result, arguments in (
            ("model_default_params", Parameters, []), ("context_default_params", Parameters, []),
            ("model_load_from_file", pointer, [ctypes.c_char_p, Parameters]),
            ("init_from_model", pointer, [pointer, Parameters]),
            ("set_n_threads", None, [pointer, ctypes.c_int32, ctypes.c_int32]),
            ("batch_get_one", Batch, [pointer, ctypes.c_int32]), ("decode", ctypes.c_int32, [pointer, Batch]),
            ("get_logits_ith", ctypes.POINTER(ctypes.c_float), [pointer, ctypes.c_int32])):
        function = getattr(llama, "llama_" + name)
        function.restype, function.argtypes = result, arguments
    return llama


def logits_of(llama, path):
    """Returns the logits of each token, or None if llama.cpp refuses the file."""
    model = llama.llama_model_load_from_file(path.encode(), llama.llama_model_default_params())
    context = model and llama.llama_init_from_model(model, llama.llama_context_default_params())
    if not context:
        return None
    llama.llama_set_n_threads(context, 1, 1)
    rows = []
    for token in TOKENS:
        if llama.llama_decode(context, llama.llama_batch_get_one((ctypes.c_int32 * 1)(token), 1)) != 0:
            return None
        rows.append(llama.llama_get_logits_ith(context, -1)[:VOCAB])
    return rows


def difference(found, expected):
    """Returns the greatest difference at any position, relative to the logits there."""
    return max((sum((a - b) ** 2 for a, b in zip(*rows)) / sum(b * b for b in rows[1])) ** 0.5
               for rows in zip(found, expected))


def main():
    bins = glob.glob(os.environ.get("LEVEE_LLAMA_CPP", "/nowhere") +
                     "/node_modules/@node-llama-cpp/linux-x64/bins/linux-x64")
    if not bins:
        print("skipped: LEVEE_LLAMA_CPP names no folder with node-llama-cpp")
        return 77
    if len(sys.argv) == 2:  # each file runs in a separate process, because llama.cpp may end the process
        print(json.dumps(logits_of(library(pathlib.Path(bins[0])), sys.argv[1])))
        return 0
    loaded, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.environ["LEVEE_FILES"], "Files of all families for another program"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "LEVEE_FAMILY_FILES": folder})
        for path in sorted(glob.glob(folder + "/*.gguf")):
            title, *rows = pathlib.Path(path).with_suffix(".txt").read_text().splitlines()
            run = subprocess.run([sys.executable, "-B", __file__, path], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
            found = json.loads(run.stdout or "null")
            if found is None or title in OTHERWISE:
                print(f"{title}: {OTHERWISE.get(title, 'llama.cpp does not take the file')}")
                continue
            share = difference(found, [[float(number) for number in row.split()] for row in rows])
            print(f"{title}: {share:.5f}")
            loaded += 1
            wrong += [title] if share > MOST else []
    assert not wrong, wrong
    assert loaded >= FEWEST, loaded
    return 0


if __name__ == "__main__":
    sys.exit(main())
