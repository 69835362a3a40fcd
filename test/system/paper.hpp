// SPDX-License-Identifier: Apache-2.0
// A paper with few numbers, for tests of `levee reproduce`.
#pragma once

#include "test/system/program.hpp"

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

namespace levee::test {

inline const std::string reproduced_runs = R"(axes:
  clock:
    slow: system.core.clock=1GHz
    fast: [system.core.clock=2GHz]
runs:
  hello: {scenario: hello.yaml, axes: [clock]}
  other: {scenario: hello.yaml}
figures:
  seconds: sim.seconds
  instructions: core.instructions
variants:
  faster: {set: system.core.clock=4GHz, runs: [other]}
  counted: {figures: {seconds: core.cycles}}
)";

inline const std::string reproduced_rows = R"yaml(rows:
  T01: {value: seconds(hello/slow) / seconds(hello/fast), kind: ratio, note: "one, two"}
  T02: {value: [instructions(hello/slow), seconds(other)], kind: value, note: n}
  T03: {value: "instructions(hello/{clock})", over: {clock: all}, kind: trend, relative_to: T02, note: n}
  T05: {kind: not derivable, note: nobody knows}
  own: {published: 2 * published(T01), quantity: q, unit: x, value: seconds(other) / seconds(hello/fast), kind: value, note: n}
plots:
  figure_1: {over: {clock: all}, values: {us: "1e6 * seconds(hello/{clock})"}}
)yaml";

/// A paper's folder. Its machine is the shipped greeting.
struct Paper {
    explicit Paper(const std::string& more_rows = reproduced_rows)
    {
        std::filesystem::create_directories(place.path("paper/reproduce"));
        place.write("paper/published.csv",
                    "id,paper,section,quantity,configuration,published,unit\n"
                    "T01,P,1,speedup,\"fast, slow\",>2,x\n"
                    "T02,P,1,two of them,,71/37,x\n"
                    "T03,P,2,series,,10,x\n"
                    "T04,P,2,nothing,,3,x\n"
                    "T05,P,2,unknown,,4,x\n");
        place.write("paper/reproduce/a.yaml", reproduced_runs);
        place.write("paper/reproduce/b.yaml", more_rows);
    }

    Outcome reproduce(std::vector<std::string> arguments = {}) const
    {
        std::vector<std::string> all{"reproduce", "paper", "--out", "out"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return place.levee(all);
    }

    /// Returns the lines of an output file that begin with `begin`.
    [[nodiscard]] std::vector<std::string> lines(const std::string& file,
                                                 const std::string& begin) const
    {
        std::istringstream text(place.read("out/" + file));
        std::vector<std::string> found;
        for (std::string line; std::getline(text, line);)
            if (line.starts_with(begin))
                found.push_back(line);
        return found;
    }

    Workplace place;
};

} // namespace levee::test
