# SPDX-License-Identifier: Apache-2.0
"""What the guards judge, on made-up runs."""
import copy
import gzip
import struct
import unittest

import compare
import recording
import runs

RUN = {
    "sha256": "a", "sections": {"text": "t", "scenario": "s"}, "decisions": {"sfu.0": "3 decisions, x"},
    "metrics": {"sim.seconds": 1.0, "rsa.macs": 1000, "dram.read_bytes": 64, "tcm.write_bytes": 8,
                "core.instructions": 100, "bounds.decode.rsa.pace_seconds": 0.9,
                "bounds.decode.rsa.fetch_seconds": 0.001},
}


def changed(**metrics):
    run = copy.deepcopy(RUN)
    run["metrics"].update(metrics)
    return run


def failing(golden, now, case=None):
    return [one.name for one in compare.guard_two(case or {}, golden, now) if one.fails]


class GuardOne(unittest.TestCase):
    def test_the_same_bytes_pass(self):
        self.assertEqual(compare.guard_one(RUN, copy.deepcopy(RUN)), [])

    def test_any_other_byte_fails_and_says_where(self):
        now = changed(**{"sim.seconds": 1.0000001})
        now["sha256"] = "b"
        self.assertEqual([one.name for one in compare.guard_one(RUN, now) if one.fails], ["sim.seconds"])

    def test_equal_values_in_another_order_fail(self):
        now = dict(RUN, sha256="b")
        self.assertTrue(all(one.fails for one in compare.guard_one(RUN, now)))
        self.assertEqual(len(compare.guard_one(RUN, now)), 1)

    def test_host_figures_and_versions_do_not_count(self):
        text = ('{\n  "metrics": {\n    "a": 1,\n    "host.wall_s": %s,\n    "z": 1\n  },\n'
                '  "versions": {\n    "x": %s\n  }\n}\n')
        self.assertEqual(runs.same_bytes(text % (1, 1)), runs.same_bytes(text % (2, 3)))
        self.assertNotEqual(runs.same_bytes(text % (1, 1)), runs.same_bytes(text.replace('"z": 1', '"z": 2') % (1, 1)))


class GuardTwo(unittest.TestCase):
    def test_time_may_be_as_far_apart_as_the_case_says(self):
        self.assertEqual(failing(RUN, changed(**{"sim.seconds": 1.029})), [])
        self.assertEqual(failing(RUN, changed(**{"sim.seconds": 1.031})), ["sim.seconds"])
        self.assertEqual(failing(RUN, changed(**{"sim.seconds": 1.02}), {"tolerance": 0.01}), ["sim.seconds"])

    def test_work_must_be_the_same(self):
        self.assertEqual(failing(RUN, changed(**{"rsa.macs": 1001})), ["rsa.macs"])
        self.assertEqual(failing(RUN, changed(**{"dram.read_bytes": 65})), ["dram.read_bytes"])

    def test_the_tightly_coupled_memory_and_instructions_are_only_listed(self):
        now = changed(**{"tcm.write_bytes": 80, "core.instructions": 200})
        self.assertEqual([one.name for one in compare.guard_two({}, RUN, now)],
                         ["core.instructions", "tcm.write_bytes"])
        self.assertEqual(failing(RUN, now), [])

    def test_a_part_is_judged_by_its_share_of_the_whole(self):
        self.assertEqual(failing(RUN, changed(**{"bounds.decode.rsa.fetch_seconds": 0.02})), [])
        self.assertEqual(failing(RUN, changed(**{"bounds.decode.rsa.wait_dma_seconds": 0.02})), [])
        self.assertEqual(failing(RUN, changed(**{"bounds.decode.rsa.fetch_seconds": 0.04})),
                         ["bounds.decode.rsa.fetch_seconds"])

    def test_a_figure_that_comes_or_goes_fails(self):
        self.assertEqual(failing(RUN, changed(**{"new.figure": 1})), ["new.figure"])
        now = changed()
        del now["metrics"]["sim.seconds"]
        self.assertEqual(failing(RUN, now), ["sim.seconds"])

    def test_text_and_decisions_must_be_the_same(self):
        now = changed()
        now["sections"]["text"], now["decisions"]["sfu.0"] = "other", "other"
        self.assertEqual(failing(RUN, now), ["text", "sfu.0"])
        self.assertEqual(failing(RUN, now, {"decays": True}), [])

    def test_what_has_been_accepted_is_expected(self):
        golden = dict(RUN, accepted={"metrics": {"sim.seconds": 2.0, "rsa.macs": None}})
        now = changed(**{"sim.seconds": 2.0})
        del now["metrics"]["rsa.macs"]
        self.assertEqual(failing(golden, now), [])
        self.assertEqual(failing(golden, RUN), ["rsa.macs", "sim.seconds"])


def recorded(first_address, payload, operation=0):
    """One write of four bytes by a block `sfu`."""
    body = bytes([0, 1, 0, 3]) + b"sfu" + bytes([operation, 7, 1, 0, 0, 0, first_address, 4]) + payload + bytes([0, 1])
    return struct.pack("<8sI", b"LEVEEDEC", 1) + gzip.compress(body)


class Decisions(unittest.TestCase):
    def test_what_is_decided_counts(self):
        self.assertNotEqual(recording.digests(recorded(16, b"abcd")), recording.digests(recorded(16, b"abce")))

    def test_where_tables_lie_and_which_operation_it_was_do_not(self):
        self.assertEqual(recording.digests(recorded(16, b"abcd")), recording.digests(recorded(32, b"abcd", 5)))


if __name__ == "__main__":
    unittest.main()
