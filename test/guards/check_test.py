# SPDX-License-Identifier: Apache-2.0
"""Tests `guard.py check` on a small tree with a history, whose program is a script and whose firmware is a text
file."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
configure_file(levee.py ${CMAKE_BINARY_DIR}/platform/levee COPYONLY)
configure_file(firmware.txt ${CMAKE_BINARY_DIR}/firmware/hello.elf COPYONLY)
add_custom_target(levee)
add_custom_target(levee_firmware)
"""
PROGRAM = """#!/usr/bin/env python3
import json, pathlib, sys
elf = "program.elf" if "--elf" in sys.argv else pathlib.Path(sys.argv[0]).parents[1] / "firmware" / "hello.elf"
work = int(pathlib.Path(elf).read_text())
metrics = {"sim.seconds": work * FACTOR, "host.wall_s": id(work)}
json.dump({"name": sys.argv[2], "text": "Hello", "metrics": metrics, "scenario": {"workload": {"app": "hello"}},
           "versions": {"levee": "FACTOR"}}, open("results.json", "w"), indent=2)
"""


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.tree = self.folder / "tree"
        guards = self.tree / "test" / "guards"
        guards.mkdir(parents=True)
        for file in HERE.glob("*.py"):
            shutil.copy(file, guards)
        self.write("test/guards/cases.json", '{"slow": {"slow": true}}')
        self.write("CMakeLists.txt", CMAKE)
        self.write("scenarios/one.yaml", "system: s.yaml\ndata: timing_only\n")
        self.write("scenarios/slow.yaml", "extends: one.yaml\n")
        self.write("firmware.txt", "7")
        self.program(1)
        self.git("init", "-q")
        self.commit("The first version")
        self.git("tag", "first")

    def write(self, name, text):
        file = self.tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def program(self, factor):
        self.write("levee.py", PROGRAM.replace("FACTOR", str(factor)))
        (self.tree / "levee.py").chmod(0o755)

    def git(self, *arguments):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", *arguments],
                       cwd=self.tree, check=True, capture_output=True)

    def commit(self, message):
        self.git("add", "-A", ":!build")
        self.git("commit", "-q", "-m", message)

    def check(self, *arguments):
        done = subprocess.run([sys.executable, "-B", self.tree / "test" / "guards" / "guard.py", "check", *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def test_a_tree_that_computes_the_same_passes(self):
        self.write("README.md", "text")
        self.commit("Text")
        code, said = self.check("--base", "first")
        self.assertEqual(code, 0, said)
        self.assertIn("1 cases: 1 the same, 0 accepted, 0 failed", said)
        self.assertIn("left out, for they take long: slow", said)

    def test_a_changed_program_is_found_committed_or_not(self):
        self.program(2)
        for committed in (False, True):
            if committed:
                self.commit("Slower, and nothing is said of it")
            code, said = self.check("--base", "first")
            self.assertEqual(code, 1, said)
            self.assertIn("sim.seconds 7 -> 14", said)
            self.assertIn("this tree's platform under the base's firmware: 1 differ", said)
            self.assertIn("FAILED one", said)

    def test_changed_firmware_is_told_from_a_changed_platform(self):
        self.write("firmware.txt", "8")
        code, said = self.check("--base", "first")
        self.assertEqual(code, 1, said)
        self.assertIn("this tree (sim.seconds 7 -> 8", said)
        self.assertNotIn("this tree's platform", said)

    def test_a_commit_accepts_what_it_names_and_no_other_case(self):
        self.program(2)
        self.commit("Slower\n\nGuard-Accept-Platform: one a page closes\n")
        code, said = self.check("--base", "first")
        self.assertEqual(code, 0, said)
        self.assertIn("a page closes", said)
        code, said = self.check("--base", "first", "--all")
        self.assertEqual(code, 1, said)
        self.assertIn("FAILED slow", said)
        code, said = self.check("--base", "HEAD", "one")
        self.assertEqual(code, 0, said)

    def test_firmware_that_is_accepted_does_not_accept_a_changed_platform(self):
        self.write("firmware.txt", "8")
        self.commit("Slower\n\nGuard-Accept: * one call more\n")
        code, said = self.check("--base", "first")
        self.assertEqual(code, 0, said)
        self.program(2)
        self.commit("Slower, and nothing is said of it")
        code, said = self.check("--base", "first")
        self.assertEqual(code, 1, said)
        self.assertIn("Guard-Accept-Platform: one WHY", said)

    def test_a_base_that_is_built_is_not_built_again(self):
        self.check("--base", "first")
        built = next((self.tree / "build" / "guard" / "bases").glob("*/build"))
        code, said = self.check("--base-build", str(built))
        self.assertEqual(code, 0, said)
        self.assertNotIn("its tree and a Release build", said)

    def test_cases_that_come_pass_and_cases_that_go_fail(self):
        (self.tree / "scenarios" / "one.yaml").rename(self.tree / "scenarios" / "two.yaml")
        self.write("scenarios/slow.yaml", "extends: two.yaml\n")
        code, said = self.check("--base", "first")
        self.assertEqual(code, 1, said)
        self.assertIn("two: new: the base has no such case", said)
        self.assertIn("FAILED one\n", said)

    def test_mistakes_are_told(self):
        for arguments, expected in ((["--base", "no-such"], "guard.py: git rev-parse"),
                                    ([], "guard.py: no base; expected"),
                                    (["--base", "first", "on"], "no case 'on'; expected one of: one, slow"),
                                    (["--base-build", str(self.folder)], "no CMakeCache.txt; expected")):
            code, said = self.check(*arguments)
            self.assertEqual(code, 2, said)
            self.assertIn(expected, said)


if __name__ == "__main__":
    unittest.main()
