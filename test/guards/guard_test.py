# SPDX-License-Identifier: Apache-2.0
"""Tests the guard's comparisons and accepted differences on artificial runs and messages."""
import copy
import gzip
import pathlib
import struct
import tempfile
import unittest

import base
import compare
import goldens
import guard
import recording
import runs

RUN = {
    "bytes": "a\nb", "leaves": {"exit code": 0, "text": "Once upon", "tokens": [1, 2], "scenario.seed": 3},
    "figures": {"sim.seconds": 1.0, "rsa.macs": 1000}, "decisions": {"sfu.0": "3 decisions, x"},
    "files": {"bounds.csv": b"a,b\n1,2\n"},
}


def changed(kind, **values):
    run = copy.deepcopy(RUN)
    run[kind].update(values)
    if kind in ("leaves", "figures"):
        run["bytes"] = "other"
    return run


def names(now):
    return [line.split()[0].rstrip(",") for line in compare.compare(RUN, now)]


class Compared(unittest.TestCase):
    def test_the_same_bytes_are_the_same(self):
        self.assertEqual(compare.compare(RUN, copy.deepcopy(RUN)), [])

    def test_each_kind_of_difference_is_found_and_named(self):
        self.assertEqual(names(changed("figures", **{"sim.seconds": 1.0000001})), ["sim.seconds"])
        self.assertEqual(names(changed("leaves", text="Once upan")), ["text"])
        self.assertEqual(names(changed("leaves", tokens=[1, 3])), ["tokens"])
        self.assertEqual(names(changed("leaves", **{"exit code": 1})), ["exit"])
        self.assertEqual(names(changed("decisions", **{"sfu.0": "4 decisions, y"})), ["decisions"])

    def test_a_figure_that_comes_or_goes_is_found(self):
        self.assertEqual(names(changed("figures", new=0)), ["new"])
        now = changed("figures")
        del now["figures"]["rsa.macs"]
        self.assertEqual(names(now), ["rsa.macs"])

    def test_files_are_compared_by_their_bytes_and_the_line_is_named(self):
        found = compare.compare(RUN, changed("files", **{"bounds.csv": b"a,b\n1,3\n"}))
        self.assertIn("file bounds.csv, line 2", found[0])
        self.assertIn("file trace.gz", compare.compare(RUN, changed("files", **{"trace.gz": b"\xff"}))[0])
        self.assertEqual(len(compare.compare(RUN, changed("files", **{"bounds.csv": b"a,b\n1,2"}))), 1)

    def test_equal_values_in_another_order_differ(self):
        now = dict(RUN, bytes="b\na")
        self.assertEqual(len(compare.compare(RUN, now)), 1)

    def test_host_figures_and_versions_do_not_count(self):
        text = ('{\n  "metrics": {\n    "a": 1,\n    "host.wall_s": %s,\n    "z": 1\n  },\n'
                '  "versions": {\n    "x": %s\n  }\n}\n')
        self.assertEqual(runs.same_bytes(text % (1, 1)), runs.same_bytes(text % (2, 3)))
        self.assertNotEqual(runs.same_bytes(text % (1, 1)), runs.same_bytes(text.replace('"z": 1', '"z": 2') % (1, 1)))


class AcceptedByCommits(unittest.TestCase):
    def accepted(self, message):
        accepted = base.Accepted()
        accepted.read("abc", message)
        return accepted

    @staticmethod
    def case(name, of_platform=False):
        case = guard.Case(name)
        case.of_platform = of_platform
        return case

    def test_a_line_accepts_the_cases_that_it_names(self):
        accepted = self.accepted("Title\n\nText.\n\n"
                                 "Guard-Accept: demo, kelle.* pages close\n  when they idle\nMore: x\n")
        self.assertEqual(accepted.reason(self.case("demo")), "abc: pages close when they idle")
        self.assertIsNotNone(accepted.reason(self.case("kelle.demo.aep")))
        self.assertIsNone(accepted.reason(self.case("hello")))
        self.assertIsNone(accepted.reason(self.case("demo.batch")))

    def test_a_platform_is_accepted_by_its_own_line_which_accepts_firmware_too(self):
        accepted = self.accepted("Title\n\nGuard-Accept: demo a call\nGuard-Accept-Platform: hello pages close\n")
        self.assertIsNone(accepted.reason(self.case("demo", True)))
        self.assertIsNotNone(accepted.reason(self.case("hello", True)))
        self.assertIsNotNone(accepted.reason(self.case("hello")))

    def test_a_line_without_a_reason_is_refused(self):
        for line in ("Guard-Accept: demo", "Guard-Accept: demo, hello", "Guard-Accept: demo,", "Guard-Accept:"):
            with self.assertRaisesRegex(runs.Failure, "gives no reason; expected"):
                self.accepted(line)

    def test_other_text_accepts_nothing(self):
        self.assertIsNone(self.accepted("A line Guard-Accept: demo why\n").reason(self.case("demo")))

    def test_a_name_of_no_case_is_told(self):
        self.assertEqual(self.accepted("Guard-Accept: dem why").unknown(["demo"]),
                         ["abc accepts 'dem', which is no case"])


class Cases(unittest.TestCase):
    def test_what_runs_by_itself_is_a_case(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for name, text in {"one": "system: a.yaml\n", "a/two": "extends: ../one.yaml\n", "study": "scenario: one\n",
                               "systems/s": "extends: ../one.yaml\n", "table": "rows: 1\n"}.items():
                file = tree / "scenarios" / f"{name}.yaml"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            self.assertEqual(runs.shipped(tree), ["a/two", "one"])

    def test_every_case_has_a_scenario(self):
        tree = runs.HERE.parents[1]
        cases = runs.load_cases(tree)
        for name, case in cases.items():
            self.assertTrue((tree / "scenarios" / (case["scenario"] + ".yaml")).is_file(), name)
        self.assertLessEqual(set(goldens.load()), set(cases))


class Goldens(unittest.TestCase):
    def test_a_figure_that_is_not_as_found_by_hand_is_listed(self):
        golden = {"rsa.macs": ["10 * 100", "a product"], "sim.seconds": ["2", "two"]}
        found = goldens.differing(golden, RUN)
        self.assertEqual(len(found), 1)
        self.assertIn("by hand: 2, two", found[0])

    def test_a_run_that_failed_is_not_as_found_by_hand(self):
        self.assertEqual(len(goldens.differing({}, changed("leaves", **{"exit code": 1}))), 1)


def recorded(first_address, payload, operation=0):
    """A write of four bytes by a block `sfu`."""
    body = bytes([0, 1, 0, 3]) + b"sfu" + bytes([operation, 7, 1, 0, 0, 0, first_address, 4]) + payload + bytes([0, 1])
    return struct.pack("<8sI", b"LEVEEDEC", 1) + gzip.compress(body)


class Decisions(unittest.TestCase):
    def test_what_is_decided_counts(self):
        self.assertNotEqual(recording.digests(recorded(16, b"abcd")), recording.digests(recorded(16, b"abce")))

    def test_where_tables_lie_and_which_operation_it_was_do_not(self):
        self.assertEqual(recording.digests(recorded(16, b"abcd")), recording.digests(recorded(32, b"abcd", 5)))


if __name__ == "__main__":
    unittest.main()
