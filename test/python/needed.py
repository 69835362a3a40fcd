# SPDX-License-Identifier: Apache-2.0
"""Ends the tests with 77, which CTest shows as skipped, if a package is missing."""
import sys

try:
    import matplotlib
    import pandas
except ImportError as missing:
    print(f"skipped: {missing} (python3-pandas, python3-matplotlib)")
    sys.exit(77)

VERSIONS = {"pandas": pandas.__version__, "matplotlib": matplotlib.__version__}
