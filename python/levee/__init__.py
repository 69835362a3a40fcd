# SPDX-License-Identifier: Apache-2.0
"""Levee from Python: runs scenarios and studies, and reads their results as pandas frames (python/README.md).

    import levee

    run = levee.run("demo", set={"workload.max_new_tokens": 20})
    run["decode.tokens_per_s"]
    run.metrics                       # name, value, unit
    levee.sweep("questions/lpddr").plot_front()

Each function calls a command of the program. The command's errors become LeveeError.
"""
from .commands import compare, explore, reproduce, results, run, sweep
from .comparison import Comparison
from .optimiser import Dimension, Space, optimise
from .program import LeveeError, program, version
from .reproduction import Reproduction
from .results import Results
from .study import Study

__all__ = ["Comparison", "Dimension", "LeveeError", "Reproduction", "Results", "Space", "Study", "compare", "explore",
           "optimise", "program", "reproduce", "results", "run", "sweep", "version"]
