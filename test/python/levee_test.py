# SPDX-License-Identifier: Apache-2.0
"""python/levee calls the program and reads its output."""
import concurrent.futures
import csv
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import needed  # noqa: F401: first, it may end the tests

import levee
from levee.program import override
from levee.units import unit_of, unit_of_column

STUDY = {
    "name": "clocks",
    "scenario": "hello.yaml",
    "axes": {"clock": {"key": "system.core.clock", "values": ["1 GHz", "2 GHz", "500 MHz"]},
             "bus": {"key": "system.bus.latency", "values": ["2 ns", "20 ns"]}},
    "columns": {"us": {"metric": "sim.seconds", "scale": 1e6}, "cycles": "core.cycles"},
    "objectives": {"minimize": ["us", "cycles"]},
}


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.before = os.getcwd()
        self.folder = tempfile.TemporaryDirectory()
        os.chdir(self.folder.name)

    def tearDown(self):
        os.chdir(self.before)
        self.folder.cleanup()
        sys.modules["matplotlib.pyplot"].close("all") if "matplotlib.pyplot" in sys.modules else None


def from_the_page(name):
    """Returns a piece of code from python/README.md."""
    page = (Path(__file__).parents[2] / "python/README.md").read_text(encoding="utf-8")
    return page.split(f"```python {name}\n", 1)[1].split("```", 1)[0]


class ThePage(InAFolder):
    def test_its_environment_resets_and_steps(self):
        names = {}
        exec(from_the_page("environment"), names)
        machine = names["Machine"]()
        self.assertEqual(machine.reset(seed=1), ([8], {}))
        state, reward, terminated, truncated, info = machine.step(1)
        self.assertEqual((state, terminated, truncated), ([16], False, False))
        self.assertEqual(info["run"].scenario["system"]["blocks"]["rsa"]["rows"], 16)
        self.assertEqual(reward, info["run"]["decode.tokens_per_s"] / 16)
        self.assertEqual(machine.step(0)[0], [8])

    @unittest.skipUnless(importlib.util.find_spec("optuna"), "there is no Optuna")
    def test_its_optimiser_asks_and_tells(self):
        names = {}
        exec(from_the_page("optimiser"), names)
        trials = names["optimiser"].trials
        self.assertEqual(len(trials), 4)
        self.assertEqual(len({trial.params["side"] for trial in trials} - {8, 16, 32}), 0)
        self.assertTrue(all(trial.value > 0 for trial in trials))


SPACE = {"name": "space", "scenario": "hello.yaml", "objectives": {"minimize": "core.cycles"}, "axes": {
    "clock": {"key": "system.core.clock", "values": [f"{100 * i} MHz" for i in range(1, 11)]},
    "bus": {"key": "system.bus.latency", "from": "2 ns", "to": "40 ns"},
    "width": {"key": "system.bus.port_bandwidth", "values": ["4 GB/s", "8 GB/s", "16 GB/s"]}}}


class AnOptimiserOfOnesOwn(InAFolder):
    def explored(self, program, points=12, space=SPACE, **more):
        Path("mine.py").write_text(program)
        return levee.explore(space, points=points, optimiser="mine.py", **more)

    def test_the_page_s_climber_proposes_the_points_by_generations_and_in_flight(self):
        for number, options in enumerate(([], ["--in-flight"])):
            study = self.explored(from_the_page("any_optimiser"), 24, out=f"explored-{number}", options=options)
            self.assertEqual(len(study.points), 24)
            # The hill climber changes one axis of the best point, so values of the other axes repeat.
            again = study.points.groupby(["clock", "width"]).size().max()
            self.assertGreater(again, 3)
            self.assertEqual(Path(study.folder, "trials.log").exists(), bool(options))

    @unittest.skipUnless(importlib.util.find_spec("optuna"), "there is no Optuna")
    def test_the_page_s_sampler_of_optuna(self):
        axes = {**SPACE["axes"], "bus": {"key": "system.bus.latency", "from": "2 ns", "to": "40 ns", "steps": 20}}
        self.assertEqual(len(self.explored(from_the_page("any_sampler"), space={**SPACE, "axes": axes}).points), 12)

    def test_the_same_optimiser_gives_the_same_points(self):
        first, second = (self.explored(from_the_page("any_optimiser"), out=out) for out in ("one", "two"))
        self.assertEqual(first.points.to_csv(), second.points.to_csv())

    def test_its_mistakes_are_said(self):
        program = from_the_page("any_optimiser")
        without_places = ("import json, sys\nfor line in sys.stdin:\n"
                          "    number = json.loads(line).get('start', 0)\n"
                          "    print(json.dumps({'proposals': [{'id': i, \"place\": []} for i in range(number)], \"place\": []}), flush=True)\n")
        for wrong, message in ((program.replace("return place", "return [99, 0.5, 0]"), r"whose value 0 is 99; expected a whole number below 10"),
                               (program.replace("return place", "return [1]"), r"ask\(\) returned \[1\]; expected a number for each of the 3 dimensions"),
                               (without_places, r"mine.py\) proposed a point with 0 numbers; expected one number for each of the 3 dimensions"),
                               ("import sys\nfor line in sys.stdin: print(7, flush=True)",
                                r"mine.py\) did not answer with a JSON object; expected a program that calls levee.optimise\(\)"),
                               ("raise SystemExit(3)", "mine.py\\) ended unexpectedly"),
                               (program.replace("self.space.draw", "self.space.drew"), "AttributeError")):
            with self.subTest(message):
                with self.assertRaisesRegex(levee.LeveeError, message):
                    self.explored(wrong, options=["--no-resume"])
        for place in ('"place": []', ""):
            in_flight = without_places.replace('"place": []', '"place": [i, 0.1 * i, 0]', 1).replace('"place": []', place)
            with self.subTest(place), self.assertRaisesRegex(levee.LeveeError, "proposed a point with 0 numbers"):
                self.explored(in_flight, options=["--in-flight"], out="in-flight")
        with self.assertRaisesRegex(levee.LeveeError, "there is no file 'nowhere.py'"):
            levee.explore(SPACE, points=4, optimiser="nowhere.py")


class ARun(InAFolder):
    def test_its_metrics_are_a_frame_with_units(self):
        run = levee.run("hello", set={"system.core.clock": "2 GHz"}, seed=7)
        written = json.loads((run.folder / "results.json").read_text())
        self.assertEqual(run["sim.seconds"], written["metrics"]["sim.seconds"])
        self.assertEqual(run.metrics.loc["sim.seconds", "unit"], "s")
        self.assertEqual(len(run.metrics), len(written["metrics"]))
        self.assertEqual(run.scenario["system"]["core"]["clock"], "2 GHz")
        self.assertEqual((run.seed, written["seed"]), (7, 7))
        self.assertNotEqual(levee.run("hello").folder, run.folder)

    def test_threads_run_at_the_same_time(self):
        with concurrent.futures.ThreadPoolExecutor(3) as threads:
            runs = list(threads.map(lambda seed: levee.run("hello", seed=seed), range(6)))
        self.assertEqual([run.seed for run in runs], list(range(6)))
        self.assertEqual(len({run.folder for run in runs}), 6)

    def test_values_of_every_kind_are_set(self):
        run = levee.run("demo", set={"workload.max_new_tokens": 3, "workload.batch": 2,
                                     "workload.prompts": ["Once upon a time", "Once upon"],
                                     "workload.temperature": 0.5, "observe": {"report": False}})
        self.assertEqual(run.scenario["workload"]["prompts"], ["Once upon a time", "Once upon"])
        self.assertEqual(float(run.scenario["workload"]["temperature"]), 0.5)
        self.assertEqual([len(one) for one in run.tokens], [3, 3])
        self.assertFalse((run.folder / "report.html").exists())
        with self.assertRaisesRegex(levee.LeveeError, "report.html"):
            run.series

    def test_texts_arrive_as_they_are(self):
        texts = ["a: b", "x # y", "two\nlines", "[1, 2]", "{a: 1}", "- x", "-", "'quoted'", '"q', "*a", "&a", "!a", "| b", "> b",
                 "%a", "@a", "`a", "end:", "null", "~", " blanks ", "a\tb", "😀 é", "back\\slash", "---", "#", ": x", "? x",
                 "2 GHz", "a.yaml", "../a.yaml", "a=b", "http://x:1", "a,b", "a]", "a'b", "<<", "="]
        for text in texts:
            self.assertEqual(levee.run("hello", set={"system.name": text}, out="o").scenario["system"]["name"], text)
        self.assertEqual(override("a", "2 GHz"), "a=2 GHz")
        self.assertEqual(override("a", "x.yaml"), "a=x.yaml")
        self.assertEqual(override("a", None), "a=null")

    def test_what_set_and_options_cannot_be_is_said(self):
        for call in (levee.run, levee.sweep, levee.explore):
            with self.assertRaisesRegex(TypeError, "set is 'x=1'; expected a map of keys and values"):
                call("hello", set="x=1")
            with self.assertRaisesRegex(TypeError, "options is '--bounds'; expected a list of texts"):
                call("hello", options="--bounds")
        with self.assertRaisesRegex(TypeError, "only is 'P001'; expected a list of texts"):
            levee.reproduce("pim", "P001")

    def test_what_the_program_says_is_the_exception(self):
        with self.assertRaisesRegex(levee.LeveeError, "did you mean 'system.core.clock'|clock") as caught:
            levee.run("hello", set={"system.core.clok": "1 GHz"})
        self.assertEqual(caught.exception.code, 2)
        with self.assertRaisesRegex(KeyError, "nearest: sim.seconds"):
            levee.run("hello")["sim.second"]
        with self.assertRaisesRegex(levee.LeveeError, "holds no results"):
            levee.results(".")

    def test_its_tables_and_series_add_up(self):
        run = levee.run("demo", set={"workload.max_new_tokens": 8})
        busy = run.bounds.query("block == 'rsa'")["seconds"].sum()
        self.assertAlmostEqual(busy, run["sim.seconds"], delta=1e-6 * busy)
        series = run.series
        width = series.index[1] - series.index[0]
        moved = run["dram.read_bytes"] + run["dram.write_bytes"]
        self.assertAlmostEqual(series["dram [B/s]"].sum() * width / moved, 1, delta=0.005)
        self.assertIn("s]", run.plot_series().get_xlabel())
        self.assertIn("share", run.plot_series(["rsa"]).get_ylabel())
        with self.assertRaisesRegex(ValueError, r"'dram \[B/s\]' is in bytes per second and 'rsa' is a share of time; expected columns"):
            run.plot_series(["rsa", "dram [B/s]"])
        self.assertIn("decode [s]", run.plot_bounds().get_xlabel())
        with self.assertRaisesRegex(levee.LeveeError, "no table 'bound'.*bounds"):
            run.table("bound")


class AStudy(InAFolder):
    def test_its_points_are_a_frame(self):
        study = levee.sweep(STUDY, progress=False)
        with open(study.folder / "points.csv", encoding="utf-8") as file:
            lines = {line["point"]: line for line in csv.DictReader(file)}
        self.assertEqual(list(study.points.index), list(lines))
        point = study.points.loc["2 GHz/20 ns"]
        self.assertEqual((point["clock"], point["bus"]), (2e9, 2e-8))
        self.assertEqual(point["us"], float(lines["2 GHz/20 ns"]["us"]))
        self.assertEqual(study.units, {"clock": "Hz", "bus": "s", "us": "µs", "cycles": "cycles"})
        self.assertEqual(list(study.front.index), [name for name in study.front.index if lines[name]["pareto"] == "1"])
        self.assertEqual(len(study.front), sum(line["pareto"] == "1" for line in lines.values()))
        self.assertTrue(study.points["us"].loc["2 GHz/2 ns"] < study.points["us"].loc["1 GHz/2 ns"])
        ax = study.plot("us", over="bus")
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), ("bus [s]", "us [µs]"))
        self.assertEqual(len(ax.get_legend().get_texts()), 3)
        self.assertEqual(study.plot_front().get_ylabel(), "cycles [cycles]")
        self.assertIsInstance(levee.results(study.folder), levee.Study)

    def test_a_point_that_fails_is_an_error_with_the_others_results(self):
        wrong = {**STUDY, "axes": {"bus": {"key": "system.bus.port_bandwidth", "values": ["1 GB/s", "0 GB/s"]}}}
        with self.assertRaisesRegex(levee.LeveeError, "1 of 2 points failed") as caught:
            levee.sweep(wrong, progress=False)
        points = caught.exception.results.points
        self.assertEqual(points.loc["1 GB/s", "error"], "")
        self.assertIn("port_bandwidth", points.loc["0 GB/s", "error"])
        self.assertEqual(len(levee.sweep(wrong, progress=False, strict=False).points), 2)

    def test_seeds_give_intervals_and_kept_runs_their_results(self):
        study = levee.sweep({**STUDY, "seeds": [1, 2]}, progress=False, options=["--keep"])
        self.assertEqual(len(study.runs), 12)
        self.assertEqual(study.points["us +-"].max(), 0)
        self.assertEqual(study.results("2 GHz/2 ns", seed=2).seed, 2)

    def test_figures_of_all_kept_runs_are_one_frame(self):
        study = levee.sweep({**STUDY, "seeds": [1, 2]}, progress=False, options=["--keep"])
        figures = study.figures
        self.assertEqual(len(figures), 12)
        self.assertEqual(list(figures)[:3], ["clock", "bus", "seed"])
        for (point, row), (_, run) in zip(figures.iterrows(), study.runs.iterrows()):
            self.assertEqual(row["sim.seconds"], study.results(point, row["seed"])["sim.seconds"])
            self.assertEqual((row["clock"], row["core.cycles"]), (run["clock"], run["cycles"]))
        self.assertEqual((figures.attrs["units"]["sim.seconds"], figures.attrs["units"]["clock"]), ("s", "Hz"))
        with self.assertRaisesRegex(ValueError, "did not keep the files"):
            levee.sweep(STUDY, progress=False).figures

    def test_one_given_as_a_map_starts_from_a_scenario_beside(self):
        Path("mine").mkdir()
        Path("mine/own.yaml").write_text("extends: other.yaml\nsystem: {core: {clock: 3 GHz}}\n")
        Path("mine/other.yaml").write_text("extends: hello.yaml\n")
        for scenario in ("mine/own.yaml", Path("mine/own.yaml").resolve(), Path("mine/own.yaml")):
            study = levee.sweep({**STUDY, "scenario": scenario, "axes": {"system.bus.latency": ["2 ns"]}},
                                out="elsewhere/deep", progress=False, options=["--keep"])
            self.assertEqual(study.results("2 ns").scenario["system"]["core"]["clock"], "3 GHz")
            self.assertEqual(study.name, "clocks")
        self.assertEqual(sorted(os.listdir()), ["elsewhere", "mine"])
        with self.assertRaisesRegex(levee.LeveeError, "no scenario 'none.yaml'"):
            levee.sweep({**STUDY, "scenario": "none.yaml"}, progress=False)
        self.assertEqual(sorted(os.listdir()), ["elsewhere", "mine"])

    def test_names_are_text_and_figures_numbers(self):
        axes = {"sort": {"labels": {"NA": "system.core.clock=1GHz", "34": "system.core.clock=2GHz"}},
                "depth": {"key": "system.core.quantum", "values": [3, 0], "only_if": "sort == NA"}}
        study = levee.sweep({**STUDY, "axes": axes, "seeds": [1, 2]}, progress=False, options=["--keep"], strict=False)
        self.assertEqual(list(study.points.index), ["NA/3", "NA/0", "34"])
        self.assertEqual(list(study.points["sort"]), ["NA", "NA", "34"])
        self.assertEqual(list(study.points["depth"].fillna(-1)), [3, 0, -1])
        self.assertEqual((study.points["us"].dtype.kind, study.runs["seed"].dtype.kind), ("f", "i"))
        self.assertTrue(study.points["us"].isna()["NA/0"])
        self.assertEqual(study.results("34").seed, 1)
        self.assertEqual(list(study.runs.loc["34", "sort"]), ["34", "34"])
        with self.assertRaisesRegex(KeyError, "did not run with seed 3; expected one of 1, 2"):
            study.results("34", seed=3)
        with self.assertRaisesRegex(KeyError, "is not a point of clocks"):
            study.results("NA")
        with self.assertRaisesRegex(levee.LeveeError, "'NA/0' failed: .*quantum"):
            study.results("NA/0", seed=2)
        number = levee.sweep({**STUDY, "axes": {"depth": {"key": "system.core.quantum", "values": [34, 8]}}},
                             out="number", progress=False, options=["--keep"])
        self.assertEqual((number.results("34").name, number.points.loc["34", "depth"]), ("hello", 34))
        with self.assertRaisesRegex(KeyError, "seed 7; the study has no 'seeds'"):
            number.results("34", seed=7)

    def test_a_folder_is_of_all_that_is_given(self):
        folders = [levee.sweep(study, progress=False, **others).folder for study, others in (
            (STUDY, {}), ({**STUDY, "columns": {"us": STUDY["columns"]["us"], "cycles": "core.instructions"}}, {}),
            (STUDY, {"options": ["--keep"]}), (STUDY, {"set": {"system.core.quantum": 100}}))]
        self.assertEqual(len(set(folders)), 4)
        self.assertEqual(levee.sweep(STUDY, progress=False, jobs=1).folder, folders[0])
        self.assertIn("folder", levee.results(folders[2]).runs)

    def test_lines_run_along_the_axis_and_join_nothing_else(self):
        study = levee.sweep({**STUDY, "axes": {**STUDY["axes"], "quantum": {"key": "system.core.quantum", "values": [9, 8]}}},
                            progress=False)
        def lines(study, **how):
            return [drawn.lines[0] for drawn in study.plot("us", **how).containers]

        for line in lines(levee.sweep(STUDY, progress=False), over="clock", by="bus"):
            self.assertEqual(list(line.get_xdata()), [5e8, 1e9, 2e9])
            self.assertEqual(line.get_linestyle(), "-")
            self.assertEqual(sorted(line.get_ydata(), reverse=True), list(line.get_ydata()))
        self.assertEqual([line.get_linestyle() for line in lines(study, over="clock", by="bus")], ["None", "None"])

    def test_words_stay_in_the_order_of_the_table(self):
        axes = {"sort": {"slow": "system.core.clock=1GHz", "medium": "system.core.clock=2GHz", "fast": "system.core.clock=3GHz"},
                "bus": STUDY["axes"]["bus"],
                "depth": {"key": "system.core.quantum", "values": [3, 4], "only_if": "sort == fast"}}
        study = levee.sweep({**STUDY, "axes": axes, "where": "sort != medium or bus == 20 ns"}, progress=False)
        words = study.plot("us", over="sort", by="bus")
        words.figure.canvas.draw()
        self.assertEqual([text.get_text() for text in words.get_xticklabels()], ["slow", "medium", "fast"])
        legend = [text.get_text() for text in study.plot("us", over="bus", by="depth").get_legend().get_texts()]
        self.assertEqual(legend, ["no depth", "depth 3", "depth 4"])

    def test_an_exploration_is_a_study(self):
        if importlib.util.find_spec("optuna") is None:
            self.skipTest("no Optuna (python3-optuna)")
        study = levee.explore(STUDY, points=4, seed=2, progress=False)
        self.assertEqual(len(study.points), 4)
        self.assertGreaterEqual(len(study.front), 1)


class OtherCommands(InAFolder):
    def test_a_comparison_has_its_divisions(self):
        runs = [levee.run("demo", set={"workload.max_new_tokens": 4, "system.core.clock": clock})
                for clock in ("1 GHz", "2 GHz")]
        comparison = levee.compare(*runs)
        phases = comparison.divisions["time by phase"]
        self.assertAlmostEqual(phases[comparison.runs[0]].sum(), runs[0]["sim.seconds"], delta=1e-12)
        self.assertAlmostEqual(phases[f"explains {comparison.runs[1]}"].sum(), 1, delta=1e-9)
        self.assertEqual(comparison.headline.loc["sim.seconds", "unit"], "s")
        self.assertIn("[s]", comparison.plot().get_xlabel())

    def test_a_reproduction_sets_published_beside_simulated(self):
        made = levee.reproduce("pim", ["P001"], progress=False)
        self.assertEqual(made.comparison.loc["P001", "unit"], "TB")
        self.assertAlmostEqual(made.comparison.loc["P001", "ratio"], 3.040836845568 / 3, delta=1e-9)
        self.assertIn("published", made.plot().get_xlabel())


class TheProgram(InAFolder):
    def test_it_is_found_beside_the_package(self):
        for package, file in (("share/levee/python", "bin/levee"), ("lib/python3/dist-packages", "bin/levee"),
                              ("python", "build/platform/levee")):
            prefix = Path(tempfile.mkdtemp(dir="."))
            package = shutil.copytree(Path(levee.__file__).parent, prefix / package / "levee").parent
            file = prefix / file
            file.parent.mkdir(parents=True)
            file.write_text("#!/bin/sh\necho levee of this prefix\n")
            file.chmod(0o755)
            environment = {**os.environ, "LEVEE": "", "PYTHONPATH": str(package)}
            said = subprocess.run([sys.executable, "-B", "-c", "import levee; print(levee.version())"], text=True,
                                  env=environment, stdout=subprocess.PIPE, check=True)
            self.assertEqual(said.stdout, "levee of this prefix\n")

    def test_a_wrong_name_is_said(self):
        before = os.environ["LEVEE"]
        try:
            os.environ["LEVEE"] = "/nowhere/levee"
            with self.assertRaisesRegex(levee.LeveeError, "LEVEE is '/nowhere/levee'"):
                levee.run("hello")
        finally:
            os.environ["LEVEE"] = before


class Units(unittest.TestCase):
    def test_they_follow_from_names(self):
        for metric, unit in (("decode.tokens_per_s", "tokens/s"), ("energy.per_token_j", "J/token"), ("energy.decode_per_token_j", "J/token"), ("dram.read_bytes", "B"),
                             ("energy.total_j", "J"), ("area.rsa_mm2", "mm²"), ("sim.seconds", "s"), ("recall.share", ""),
                             ("block.x.lifetime_ps", "ps"), ("kv_edram.interval_s.high_msb", "s"),
                             ("kv_edram.valid_row_seconds.high_msb", "s"), ("roofline.decode.dram.macs_per_byte", "MAC/B"),
                             ("kv.bytes_per_token", "B/token"), ("retransformer.layer0.plain_scores_ns_a_token", "ns/token"),
                             ("sampling.error.decode.tokens_per_s", "")):
            self.assertEqual(unit_of(metric), unit, metric)
        for column, unit in (({"metric": "dram.read_bytes", "scale": 1e-9}, "GB"), ({"metric": "recall.share", "scale": 100}, "%"),
                             ({"metric": "energy.dram_j", "over": "dram.read_bytes", "scale": 1e12}, "pJ/B"),
                             ({"metric": "core.cycles", "over": "core.cycles"}, ""),
                             ({"metric": "sim.seconds", "scale": 3}, "s / 3")):
            self.assertEqual(unit_of_column(column), unit, column)


if __name__ == "__main__":
    unittest.main()
