#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""site_test.py SITE checks that SITE (tools/site.py) reports the mistakes in a small tree without a traceback."""
import os
import pathlib
import subprocess
import sys
import tempfile

NAVIGATION = "nav:\n  - Begin: README.md\n  - Inside:\n      - More: docs/more.md\n"
MORE = "# More\n\n[begin](../README.md#begin), [a folder](../docs)\n"


def tree(folder, files):
    for name, text in {"mkdocs.yml": NAVIGATION, "README.md": "# Begin\n", "docs/more.md": MORE, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def site(root, *options, path=os.environ["PATH"]):
    done = subprocess.run([sys.executable, root / "tools/site.py", *options], capture_output=True, text=True, env={"PATH": path})
    return done.returncode, done.stdout + done.stderr


def check(what, said, code, *words):
    if said[0] != code or "Traceback" in said[1] or any(word not in said[1] for word in words):
        sys.exit(f"{what}: expected exit code {code} and {words}, found {said[0]} and:\n{said[1]}")


def main():
    script = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name).resolve() / "tree"
        tree(root, {"tools/site.py": script})
        (root.parent / "beside.md").write_text("# Beside\n", encoding="utf-8")
        check("a sound tree", site(root, "--check"), 0)
        check("no MkDocs", site(root, path="/nowhere"), 1, "mkdocs, which makes the site, is not on the PATH")

        tree(root, {"docs/more.md": MORE + "[a](none.md)\n[b](../README.md#end)\n[c](../../beside.md)\n"})
        check("broken links", site(root, "--check"), 1, "docs/more.md:4: none.md: there is no such file",
              "docs/more.md:5: ../README.md#end: that page has no such heading",
              "docs/more.md:6: ../../beside.md: that is outside the tree")

        tree(root, {"docs/more.md": MORE + "[keys](parameters.md#system)\n"})
        check("a page that the program writes", site(root, "--check"), 0)

        tree(root, {"mkdocs.yml": NAVIGATION + "      - Again: README.md\n      - None: docs/none.md\n"})
        check("navigation", site(root, "--check"), 1, "mkdocs.yml:5: README.md: is listed twice, first in line 2",
              "mkdocs.yml:6: docs/none.md: there is no such file")

        tree(root, {"mkdocs.yml": NAVIGATION + "      - Registers: docs/registers.md\n"})
        check("a page that is made, without what makes it", site(root, "--check"), 1,
              "mkdocs.yml:5: docs/registers.md: there is no such file")
        tree(root, {"tools/registers.sh": "echo '# Registers'\n",
                    "mkdocs.yml": NAVIGATION + "      - Registers: docs/registers.md\n"})
        check("a page that is made", site(root, "--check"), 0)

        tree(root, {"docs/gone.md": "# Gone\n"})
        subprocess.run("git init -q && git add .", shell=True, cwd=root, check=True)
        (root / "docs/gone.md").unlink()
        check("a deleted page that is not staged", site(root, "--check"), 0)


if __name__ == "__main__":
    main()
