#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes thresholds of kv_cache.cpq by layer from the results of a run whose block has `calibrate`.

    levee run pim/cpq --set system.blocks.cpq.calibrate=0.5 --out OUT
    tools/cpq_thresholds.py OUT/results.json

prints the keys of kv_cache.cpq with which half of the values are pruned. The run's own thresholds should be 0,
and its batch must be 1, since tables are numbered by layer, with keys before values.
"""
import json
import sys


def thresholds(metrics):
    """Returns the thresholds in the order of the cache's tables."""
    found = {}
    for name, value in metrics.items():
        parts = name.split(".")
        if len(parts) == 3 and parts[1] == "threshold" and parts[2].isdigit():
            found[int(parts[2])] = value
    if not found or sorted(found) != list(range(len(found))) or len(found) % 2 != 0:
        sys.exit("cpq_thresholds: no thresholds of whole layers; expected the results of a run of batch 1 with "
                 "`calibrate` in its block of type cpq")
    return [found[table] for table in range(len(found))]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            tables = thresholds(json.load(file)["metrics"])
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"cpq_thresholds: {sys.argv[1]}: {error}")
    for name, first in (("key_threshold", 0), ("value_threshold", 1)):
        print(f"{name}: [{', '.join(f'{value:.6g}' for value in tables[first::2])}]")


if __name__ == "__main__":
    main()
