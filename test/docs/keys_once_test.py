#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""keys_once_test.py LEVEE checks that keys_once.py reports rows that repeat a default, and no other rows."""
import subprocess
import sys
import tempfile
from pathlib import Path

CHECK = Path(__file__).with_name("keys_once.py")
REPEATED = [
    "| `batch` | sequences that run together (default 1) |",
    "| `workload.batch` | default: 1 |",
    "| `batch` | sequences that run together, 1 by default |",
    "| `batch`, `prefill_chunk` | by default 1 and what firmware chooses |",
    "| `batch` and `prefill_chunk` | the default is 1 |",
]
EXPLAINED = [
    "| `batch` | sequences that run together |",
    "| `batch`, `prefill_chunk` | how many there are at once |",
    "| `no_such_key` | 32 by default |",
    "| a `batch` | 32 by default |",
]
PROSE_THAT_REPEATS = [
    "It runs `workload.batch` sequences. There is 1 by default\nof `batch`.",
    "* **Batch.** `batch: N` runs N of them (default 1).",
    "The default of `batch` is 1.",
]
PROSE = [
    "`batch` has its bounds and defaults from the declaration.",
    "It runs `batch` sequences. One is written by default.",
    "```\n`batch` is 1 by default.\n```",
]


def faults(row):
    return said_of(f"| key | meaning |\n|---|---|\n{row}\n")


def said_of(text):
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "docs/page.md"
        page.parent.mkdir()
        page.write_text(text)
        return subprocess.run([sys.executable, CHECK, sys.argv[1], folder], capture_output=True, text=True).stdout


for row in REPEATED:
    assert "docs/page.md:3: says the default of 'batch'" in faults(row), row
for row in EXPLAINED:
    assert faults(row) == "", row
for text in PROSE_THAT_REPEATS:
    assert "says the default of 'batch'" in said_of(text + "\n"), text
for text in PROSE:
    assert said_of(text + "\n") == "", text
