// SPDX-License-Identifier: Apache-2.0
// Tests the tables of a study.
#include "platform/studies/sweep/table.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <optional>

using namespace levee::sweep;

namespace {

Column column(const std::string& name, std::optional<unsigned> digits = {})
{
    return {name, "metric." + name, {}, 1.0, digits, {}};
}

/// Returns a study with an axis of sizes and one of words. The last of its three points is not on
/// the second axis.
Study study()
{
    Study study;
    Axis size, policy;
    size.name = "size";
    size.unit = "B";
    policy.name = "policy";
    study.axes = {size, policy};
    study.points = {{"1 kB/aep", {}, {{"1 kB", 1000.0}, {"aep", {}}}},
                    {"2 kB/aep", {}, {{"2 kB", 2000.0}, {"aep", {}}}},
                    {"2 kB", {}, {{"2 kB", 2000.0}, {}}}};
    study.columns = {column("share", 1), column("bytes, read"), column("bound")};
    return study;
}

const std::vector<Row> rows{{0, "1", {10.0, 0.1, "dram"}, "", ""},
                            {0, "2", {20.0, 0.3, "rsa"}, "", ""},
                            {1, "", {7.25, 1e9, Cell()}, "", ""},
                            {2, "", {Cell(), Cell(), Cell()}, "went \"wrong\"", ""}};

} // namespace

TEST_CASE("the CSV has every run exactly: a column per axis, blanks, texts and errors")
{
    CHECK(table_csv(study(), rows) ==
          "point,size [B],policy,seed,share,\"bytes, read\",bound,error\n"
          "1 kB/aep,1000,aep,1,10,0.1,dram,\n"
          "1 kB/aep,1000,aep,2,20,0.3,rsa,\n"
          "2 kB/aep,2000,aep,,7.25,1e+09,,\n"
          "2 kB,2000,,,,,,\"went \"\"wrong\"\"\"\n");
}

TEST_CASE("points have the means over their seeds with the 95 % interval")
{
    const std::vector<PointRow> points = point_rows(rows, study());
    REQUIRE(points.size() == 3);
    CHECK(points[0].runs == 2);
    CHECK(std::get<double>(points[0].cells[0]) == 15.0);
    // t(0.975, 1) = 12.706, and the standard error is sqrt(50) / sqrt(2) = 5.
    CHECK(*points[0].half_widths[0] == Approx(12.7062 * 5));
    CHECK(std::get<std::string>(points[0].cells[2]) == "dram | rsa");
    CHECK(std::get<double>(points[1].cells[1]) == 1e9);
    CHECK_FALSE(points[1].half_widths[1]);
    CHECK(points[2].error == "went \"wrong\"");
}

TEST_CASE("a point with one failed seed has no mean over the other seeds")
{
    const std::vector<PointRow> points = point_rows(
        {{0, "1", {10.0, 0.1, "dram"}, "", ""}, {0, "2", {{}, {}, {}}, "boom", ""}}, study());
    CHECK(points[0].error == "seed 2: boom");
    CHECK(std::holds_alternative<std::monostate>(points[0].cells[0]));
}

TEST_CASE("the text's columns are aligned, with the requested digits")
{
    Study read = study();
    read.columns.resize(2);
    std::vector<Row> numbers{rows[0], rows[2]};
    for (Row& row : numbers)
        row.cells.resize(2);
    CHECK(table_text(read, point_rows(numbers, read)) == "size  policy  share  bytes, read\n"
                                                         "1 kB     aep   10.0          0.1\n"
                                                         "2 kB     aep    7.2        1e+09\n");
}

TEST_CASE("objectives mark the points that no other beats, and never a blank one")
{
    Study read = study();
    read.objectives = {{0, true}, {1, false}};
    const std::vector<PointRow> points = point_rows(rows, read);
    CHECK(points[0].pareto);       // This point has the largest share and the fewest bytes.
    CHECK_FALSE(points[1].pareto); // Another point is better in both.
    CHECK_FALSE(points[2].pareto); // This point failed.
}

TEST_CASE("only figures with uncertain prices have an interval, in every table")
{
    Study open = study();
    open.columns = {column("share", 1), column("energy", 1)};
    open.objectives = {{1, false}};
    std::vector<Row> runs{{0, "1", {10.0, 4.0}, "", ""},
                          {0, "2", {20.0, 6.0}, "", ""},
                          {1, "", {7.0, 4.5}, "", ""},
                          {2, "", {7.0, 9.0}, "", ""}};
    runs[0].intervals = {std::nullopt, Interval{3.0, 5.0}};
    runs[1].intervals = {std::nullopt, Interval{5.0, 9.0}};
    const std::vector<PointRow> points = point_rows(runs, open);
    CHECK_FALSE(points[0].intervals[0]);
    CHECK(points[0].intervals[1]->low == 4.0);
    CHECK(points[0].intervals[1]->high == 7.0);
    CHECK_FALSE(points[1].intervals[1]);
    // The first point's interval, from 4 to 7, contains the second point's 4.5, so neither
    // dominates the other. Both dominate the third, 9.
    CHECK(points[0].pareto);
    CHECK(points[1].pareto);
    CHECK_FALSE(points[2].pareto);
    CHECK(table_csv(open, runs)
              .find("share,energy,energy low,energy high,error\n"
                    "1 kB/aep,1000,aep,1,10,4,3,5,\n") != std::string::npos);
    CHECK(table_csv(open, runs).find("2 kB/aep,2000,aep,,7,4.5,,,\n") != std::string::npos);
    CHECK(
        points_csv(open, points).find(",energy,energy +-,energy low,energy high,pareto,error\n") !=
        std::string::npos);
    CHECK(table_text(open, points).find("(4.0 to 7.0)") != std::string::npos);
}

TEST_CASE("a column's interval is its figure's interval, scaled and divided")
{
    const nlohmann::json metrics{{"e", 4.0}, {"e.low", 3.0}, {"e.high", 6.0}, {"n", 2.0},
                                 {"t", 1.0}, {"t.low", 0.5}, {"t.high", 1.0}};
    Column energy = column("energy");
    energy.metric = "e";
    energy.scale = 10.0;
    energy.over = "n";
    const std::optional<Interval> each = interval_of(metrics, energy);
    REQUIRE(each);
    CHECK(each->low == 15.0);
    CHECK(each->high == 30.0);
    energy.over = "t";
    CHECK(interval_of(metrics, energy)->low == 30.0);
    CHECK(interval_of(metrics, energy)->high == 120.0);
    energy.metric = "n";
    energy.over = {};
    CHECK_FALSE(interval_of(metrics, energy));
}
