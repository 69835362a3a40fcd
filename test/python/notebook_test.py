# SPDX-License-Identifier: Apache-2.0
"""Runs the code cells of python/questions.ipynb in order, in one namespace, as a kernel does. Jupyter itself takes
about 200 MB of packages. It is not needed, since the cells contain no magics."""
import ast
import json
import os
import tempfile
import unittest
from pathlib import Path

import needed  # noqa: F401: first, it may end the tests

NOTEBOOK = Path(__file__).resolve().parents[2] / "python" / "questions.ipynb"


def execute(cells):
    """Returns the names that the cells define. If a cell's last line is an expression, its text is shown, as a
    kernel does."""
    names = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        tree = ast.parse("".join(cell["source"]))
        exec(compile(tree, f"{NOTEBOOK.name}, code cell {number}", "exec"), names)
    return names


class TheNotebook(unittest.TestCase):
    def test_its_cells_run_and_answer_as_it_says(self):
        notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        self.assertEqual(notebook["nbformat"], 4)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        self.assertTrue(all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells),
                        "outputs are not stored: clear them")
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                names = execute(cells)
            finally:
                os.chdir(before)
        self.assertTrue((names["edram_gain"].abs() < 0.01).all())  # The notebook says "hardly change".
        array = names["array"].points.set_index(["batch", "side"])["decode_tokens_per_s"]
        self.assertLess(array[1, 64] / array[1, 32], 1.01)  # The notebook says "only at batch 16".
        self.assertGreater(array[16, 64] / array[16, 32], 1.2)
        self.assertAlmostEqual(names["large"]["decode.tokens_per_s"], array[16, 64], delta=1e-6)
        self.assertGreater(names["weights_gain"][1], 1.7)  # The notebook says "nearly twice".
        self.assertLess(names["weights_gain"][16], 1.1)  # The notebook says "little".


if __name__ == "__main__":
    unittest.main()
