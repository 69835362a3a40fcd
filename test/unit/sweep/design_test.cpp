// SPDX-License-Identifier: Apache-2.0
// Tests axes and the points that they generate.
#include "platform/studies/sweep/design.hpp"
#include "platform/studies/sweep/study_keys.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>

using namespace levee::sweep;

namespace {

Design design(const std::string& yaml)
{
    const levee::config::Node root = levee::config::parse_yaml(yaml, "study.yaml");
    levee::config::MapReader reader(root, "", levee::sweep::study_keys);
    Design read = read_design(reader);
    reader.finish();
    return read;
}

std::vector<Point> points(const std::string& yaml)
{
    return points_of(design(yaml), [](const Point&) { return true; });
}

std::vector<std::string> names(const std::string& yaml)
{
    std::vector<std::string> all;
    for (const Point& point : points(yaml))
        all.push_back(point.name);
    return all;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("a list and labels make every combination, with the first axis slowest")
{
    const std::vector<Point> all = points("axes:\n"
                                          "  a.b: [1 kB, 2 kB]\n"
                                          "  policy: {x: [k=1, l=2], y: k=3}\n");
    REQUIRE(all.size() == 4);
    CHECK(all[1].name == "1 kB/y");
    CHECK(all[2].name == "2 kB/x");
    CHECK(all[2].overrides == Names{"a.b=2 kB", "k=1", "l=2"});
    CHECK(*all[2].at[0].number == 2000.0);
    CHECK_FALSE(all[2].at[1].number);
}

TEST_CASE("ranges have equal distances or equal ratios, with their units")
{
    CHECK(names("axes: {s: {from: 1 MB, to: 16 MB, steps: 5, scale: log}}") ==
          Names{"1 MB", "2 MB", "4 MB", "8 MB", "16 MB"});
    CHECK(names("axes: {s: {from: 10 us, to: 40 us, steps: 4}}") ==
          Names{"10 us", "20 us", "30 us", "40 us"});
    CHECK(names("axes: {s: {from: 1, to: 4, step: 1}}") == Names{"1", "2", "3", "4"});
    CHECK(names("axes: {s: {from: 0.5, to: 1.0, steps: 3}}") == Names{"0.5", "0.75", "1"});
    CHECK(names("axes: {s: {from: 100, to: 1000, steps: 4, scale: log, multiple_of: 64}}") ==
          Names{"128", "192", "448", "960"});
    CHECK(design("axes: {s: {key: [a.b, c], from: 1 MB, to: 2 MB, steps: 2}}").axes[0].unit == "B");
    CHECK(points("axes: {s: {key: [a.b, c], from: 1 MB, to: 2 MB, steps: 2}}")[1].overrides ==
          Names{"a.b=2 MB", "c=2 MB"});
}

TEST_CASE("root_power computes powers of any exponent with roots only")
{
    CHECK(root_power(16.0, 0.25) == 2.0);
    CHECK(root_power(10.0, 0.3) == Approx(1.9952623149688795).epsilon(1e-14));
    CHECK(root_power(1000.0, 0.999) == Approx(993.1160484209338).epsilon(1e-14));
}

TEST_CASE("zipped axes step together, next to other axes")
{
    CHECK(names("axes: {a: [1, 2], b: [x, y], c: [5, 6]}\nzip: [[a, c]]") ==
          Names{"1/x/5", "1/y/5", "2/x/6", "2/y/6"});
}

TEST_CASE("an axis that does not apply sets nothing, and makes no second point")
{
    const std::vector<Point> all =
        points("axes:\n"
               "  policy: {full: p=full, aep: p=aep}\n"
               "  budget: {values: [64, 128], only_if: policy != full}\n");
    REQUIRE(all.size() == 3);
    CHECK(all[0].name == "full");
    CHECK(all[0].overrides == Names{"p=full"});
    CHECK(all[0].at[1].label.empty());
    CHECK(all[2].name == "aep/128");
    CHECK(names("axes: {a.b: [1, 2], c: {values: [5], only_if: a.b == 2}}") == Names{"1", "2/5"});
}

TEST_CASE("a Latin hypercube draws once from each of as many parts of every axis")
{
    const std::string yaml = "axes:\n"
                             "  a: {from: 0, to: 9999}\n"
                             "  b: {from: 1.0, to: 1024.0, scale: log}\n"
                             "  c: [x, y]\n"
                             "sample: {latin_hypercube: 100, seed: 5}\n";
    const std::vector<Point> all = points(yaml);
    REQUIRE(all.size() == 100);
    std::set<int> parts, ratios;
    int x = 0;
    for (const Point& point : all) {
        parts.insert(static_cast<int>(*point.at[0].number / 100));
        ratios.insert(static_cast<int>(std::log2(*point.at[1].number) * 10));
        x += point.at[2].label == "x" ? 1 : 0;
    }
    CHECK(parts.size() == 100);
    CHECK(ratios.size() >= 99); // Rounding to six digits may move a number into the next interval.
    CHECK(x == 50);
}

TEST_CASE("a sample never changes, and an axis's values do not depend on the other axes")
{
    const std::string a = "  a: {from: 1, to: 1000000}\n";
    const std::string sample = "sample: {random: 3, seed: 7}\n";
    CHECK(names("axes:\n" + a + sample) == Names{"249560", "240848", "113226"});
    const std::vector<Point> two = points("axes:\n" + a + "  b: [p, q]\n" + sample);
    CHECK(two[0].at[0].label == "249560");
    CHECK(names("axes:\n" + a + "sample: {random: 3, seed: 8}\n") != names("axes:\n" + a + sample));
}

TEST_CASE("refused points are replaced by other draws, up to a limit")
{
    const Design wide = design("axes: {a: {from: 1, to: 100}}\nsample: {random: 20}\n");
    const auto even = [](const Point& point) {
        return static_cast<int>(*point.at[0].number) % 2 == 0;
    };
    CHECK(points_of(wide, even).size() == 20);
    CHECK(points_of(wide, [](const Point&) { return false; }).empty());
}

TEST_CASE("unusable axes are refused at their place")
{
    using Catch::Contains;
    for (const auto& [yaml, expected] : std::vector<std::pair<std::string, std::string>>{
             {"axes: {a: {from: 1, to: 4}}", "needs one of 'steps' and 'step'"},
             {"axes: {a: {from: 4, to: 1, steps: 2}}", "expected more than 'from'"},
             {"axes: {a: {from: 1 MB, to: 4 us, steps: 2}}", "units of one kind"},
             {"axes: {a: {from: 0, to: 4, steps: 2, scale: log}}", "begins above 0"},
             {"axes: {a: {from: 1, steps: 2}}", "'axes.a' lacks the key 'to'"},
             {"axes: {a: {key: [], values: [1]}}", "'axes.a.key' is empty; expected a key of"},
             {"axes: {a: {key: '', values: [1]}}", "'axes.a.key' is empty; expected a key of"},
             {"axes: {a: {values: [1], labels: {b: a=1}}}",
              "labels' is given together with 'values'; expected only one"},
             {"axes: {a: {labels: {b: a=1}, from: 1, to: 2}}",
              "from' is given together with 'labels'; expected only one"},
             {"axes: {a: {from: '', to: 4 us, steps: 2}}",
              "from' is ''; expected 'from' and 'to' as"},
             {"axes: {a: {b: a=1, c: null}}", "'axes.a.c' has nothing; expected KEY=VALUE"},
             {"axes: {a: {from: 1, to: 4, stesp: 2}}", "did you mean 'step' or 'steps'?"},
             {"axes: {a: {from: 1, to: 4, step: 1 MB}}", "'step' is '1 MB'"},
             {"axes: {a: [[1]]}", "a list among its values"},
             {"axes: {a: [1, 2], b: [1]}\nzip: [[a, b]]",
              "'zip' expects axes with equally many values"},
             {"axes: {a: [1], b: [1]}\nzip: [[a, c]]", "expected one of: a, b"},
             {"axes: {a: [1]}\nsample: {random: 3, latin_hypercube: 4}", "has both"},
             {"sample: {random: 3}", "given without 'axes'"},
             {"axes: {a: {values: [1], only_if: b == 1}, b: [1]}", "does not name an axis"},
             {"axes: {a: [1], b: {values: [1], only_if: a == 1 and kv_cache.policy != full}}",
              "'axes.b.only_if' names 'kv_cache.policy', which is not an earlier axis; expected "
              "one "
              "of: a"},
             {"axes: {a: {values: [1], only_if: b.c == 1}, b.c: [1]}",
              "names 'b.c', which is not an earlier axis"}}) {
        INFO(yaml);
        CHECK_THROWS_WITH(points(yaml), Contains(expected));
    }
}
