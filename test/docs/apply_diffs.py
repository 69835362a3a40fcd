#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""apply_diffs.py PAGE FILE OUT writes FILE to OUT after applying the page's ```diff listings for it, one after
another."""
import pathlib
import re
import shutil
import subprocess
import sys

page, file, out = sys.argv[1:]
listings = re.findall(r"^```diff\n(.*?)^```$", pathlib.Path(page).read_text(), re.M | re.S)
ours = [text for text in listings if pathlib.Path(file).match(re.match(r"--- a/(\S+)", text).group(1))]
if not ours:
    sys.exit(f"{page}: expected a ```diff listing that changes {file}")
pathlib.Path(out).parent.mkdir(parents=True, exist_ok=True)
shutil.copyfile(file, out)
for text in ours:
    subprocess.run(["patch", "--quiet", "--fuzz=0", out], input=text, text=True, check=True)
