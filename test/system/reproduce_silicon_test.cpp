// SPDX-License-Identifier: Apache-2.0
// Tests `levee reproduce silicon`: compares measured devices with simulated ones, with and without
// one fitted constant per device.
#include "test/system/paper.hpp"

using levee::test::Outcome;
using levee::test::Paper;
using levee::test::Workplace;

namespace {

const std::string two_rates = R"yaml(rows:
  T01: {value: seconds(hello/slow) / seconds(hello/slow), kind: value, note: n}
  T02: {value: [seconds(other) / seconds(other), 1 + seconds(other) / seconds(other)], kind: value, note: n}
  T03: {kind: not derivable, note: n}
  T04: {kind: not derivable, note: n}
  T05: {kind: not derivable, note: n}
)yaml";

std::string with_constants(const std::string& constants)
{
    return two_rates + "constants:\n" + constants;
}

} // namespace

TEST_CASE("reproduce silicon: each rate is predicted from the device's other rates, within 5 %")
{
    const Workplace place;
    const Outcome outcome = place.levee(
        {"reproduce", "silicon", "--only", "S11", "S12", "S14", "--no-variants", "--out", "out"});
    INFO(outcome.text);
    CHECK(outcome.code == 0);
    CHECK(outcome.text.find("orin_nano: 3 rows, each predicted from the device's other rows: "
                            "median error 2.") != std::string::npos);
    CHECK(outcome.text.find("; constant: 0.01038 s more than simulated\n") != std::string::npos);
    CHECK(outcome.text.find("goal held_out, all: NOT met: 1 devices (at least 4), 3 rows") !=
          std::string::npos);
    const std::string constants = place.read("out/constants.csv");
    CHECK(constants.find("orin_nano,seconds,0.010") != std::string::npos);
    CHECK(constants.find("\nall,,,3,") != std::string::npos);
    // The list of rows does not contain this device.
    CHECK(constants.find("pi5") == std::string::npos);
}

TEST_CASE("reproduce common: its plan is valid, and a false claim makes it fail")
{
    const Workplace place;
    const Outcome holds = place.levee(
        {"reproduce", "common", "--only", "CX3", "CI3", "--no-variants", "--out", "out"});
    INFO(holds.text);
    CHECK(holds.code == 0);
    const std::string rows = place.read("out/comparison.csv");
    CHECK(rows.find("CX3/2,") != std::string::npos);
    CHECK(rows.find("holds") != std::string::npos);
    const Outcome fails =
        Paper("rows:\n  C01: {value: \"1 + 1\", kind: trend, quantity: q, unit: x, expect: [3, 4], "
              "note: n}\n  T02: {kind: not derivable, note: n}\n")
            .reproduce();
    INFO(fails.text);
    CHECK(fails.code == 1);
    CHECK(fails.text.find("C01: outside the expected range: simulated 3 to 4") !=
          std::string::npos);
}

TEST_CASE("constants for rows that do not exist or occur twice are refused")
{
    const auto refused = [](const std::string& constants) {
        const Outcome outcome = Paper(with_constants(constants)).reproduce();
        CHECK(outcome.code == 2);
        return outcome.text;
    };
    CHECK(refused("  a: {form: share, rows: [T01, T09], note: n}\n").find("no row 'T09'") !=
          std::string::npos);
    CHECK(refused("  a: {form: share, rows: [T01], note: n}\n  b: {form: share, rows: [T01], note: "
                  "n}\n")
              .find("row 'T01' is in constant 'a', too") != std::string::npos);
    CHECK(refused("  a: {form: share, rows: [T02/3], note: n}\n").find("no number 'T02/3'") !=
          std::string::npos);
    CHECK(refused("  a: {form: share, rows: [T02], note: n}\n  b: {form: share, rows: [T02/1, "
                  "T01], note: n}\n")
              .find("row 'T02/1' is in constant 'a', too") != std::string::npos);
    CHECK(refused("  a: {form: percent, rows: [T01], note: n}\n").find("share, seconds") !=
          std::string::npos);
    CHECK(refused("  a: {form: share, rows: [], note: n}\n").find("has no rows") !=
          std::string::npos);
}
