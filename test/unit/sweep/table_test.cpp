// SPDX-License-Identifier: Apache-2.0
// Tables of a study.
#include "platform/studies/sweep/table.hpp"

#include <catch2/catch.hpp>

using namespace levee::sweep;

namespace {

std::vector<Column> columns()
{
    Column share{"share", "recall.share", {}, 1.0, 1U, {}};
    Column bytes{"bytes, read", "m.read_bytes", {}, 1.0, {}, {}};
    return {share, bytes};
}

const std::vector<Row> rows{
    {"full", "1", {10.0, 0.1}}, {"full", "2", {20.0, 0.3}}, {"aep/128", "1", {7.25, 1e9}}};

} // namespace

TEST_CASE("the CSV has every run, exactly")
{
    CHECK(table_csv(columns(), rows) == "point,seed,share,\"bytes, read\"\n"
                                        "full,1,10,0.1\n"
                                        "full,2,20,0.3\n"
                                        "aep/128,1,7.25,1e+09\n");
}

TEST_CASE("means are over the seeds of each point")
{
    const std::vector<Row> points = means(rows);
    REQUIRE(points.size() == 2);
    CHECK(points[0].point == "full");
    CHECK(points[0].values == std::vector<double>{15.0, 0.2});
    CHECK(points[1].values == std::vector<double>{7.25, 1e9});
}

TEST_CASE("the text's columns are aligned, with the digits asked for")
{
    CHECK(table_text(columns(), means(rows)) == "point    share  bytes, read\n"
                                                "full      15.0          0.2\n"
                                                "aep/128    7.2        1e+09\n");
}
