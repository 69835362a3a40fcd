// SPDX-License-Identifier: Apache-2.0
// Tests report.html: its location, its data, and their agreement with the results.
#include "test/system/program.hpp"

using levee::test::Outcome;
using levee::test::Workplace;

namespace {

nlohmann::json page_data(const Workplace& place, const std::string& file)
{
    const std::string text = place.read(file), begins = "id=\"levee-data\">";
    const std::size_t at = text.find(begins);
    REQUIRE(at != std::string::npos);
    const std::size_t from = at + begins.size();
    const nlohmann::json page =
        nlohmann::json::parse(text.substr(from, text.find("</script>", from) - from));
    CHECK(page["kind"] == "run");
    return page["data"];
}

/// Removes the data that describe the host.
void remove_host(nlohmann::json& data)
{
    nlohmann::json& metrics = data["results"]["metrics"];
    for (auto it = metrics.begin(); it != metrics.end();)
        it = it.key().starts_with("host.") ? metrics.erase(it) : std::next(it);
}

double sum(const nlohmann::json& list)
{
    double total = 0;
    for (const nlohmann::json& one : list)
        total += one.get<double>();
    return total;
}

/// Checks that sums over bins and operations equal the counts of blocks and memories.
void check_sums(const nlohmann::json& data)
{
    const nlohmann::json& metrics = data["results"]["metrics"];
    for (const nlohmann::json& block : data["series"]["blocks"]) {
        const std::string name = block["name"];
        INFO(name);
        double of_operations = 0, count = 0;
        for (const nlohmann::json& one : data["operations"])
            if (one["block"] == name) {
                of_operations += one["seconds"].get<double>();
                count += one["count"].get<double>();
            }
        const double busy = metrics[name + ".busy_seconds"];
        CHECK(sum(block["busy"]) == Approx(busy).epsilon(1e-9));
        CHECK(of_operations == Approx(busy).epsilon(1e-9));
        CHECK(count == metrics[name + ".operations"].get<double>());
    }
    for (const nlohmann::json& memory : data["series"]["memories"]) {
        double bytes = 0;
        for (const char* phase : {"prefill", "decode", "other"})
            bytes += metrics.value("roofline." + std::string(phase) + "." +
                                       memory["name"].get<std::string>() + ".bytes",
                                   0.0);
        INFO(memory["name"]);
        CHECK(sum(memory["bytes"]) == bytes);
    }
}

} // namespace

TEST_CASE("a run's report agrees with its results, and a repeated run has the same report")
{
    const Workplace place;
    REQUIRE(place.levee({"run", "kelle/demo", "--quiet", "--out", "one"}).code == 0);
    REQUIRE(place.levee({"run", "kelle/demo", "--quiet", "--out", "two"}).code == 0);
    nlohmann::json one = page_data(place, "one/report.html");
    nlohmann::json two = page_data(place, "two/report.html");
    CHECK(one["results"] == place.results("one"));
    check_sums(one);
    remove_host(one);
    remove_host(two);
    CHECK(one.dump() == two.dump());
}

TEST_CASE(
    "the report shows as many kept tokens as the budget, and as many lost ones as were evicted")
{
    const Workplace place;
    const auto check = [&](const std::vector<std::string>& more, std::size_t sequences) {
        std::vector<std::string> command{"run", "kelle/demo", "--quiet", "--out", "out"};
        command.insert(command.end(), more.begin(), more.end());
        REQUIRE(place.levee(command).code == 0);
        const nlohmann::json data = page_data(place, "out/report.html");
        const nlohmann::json& kept = data["kept"];
        CHECK(kept["reason"] == "");
        REQUIRE(kept["sequences"].size() == sequences);
        double gone = 0;
        for (const nlohmann::json& sequence : kept["sequences"])
            for (const nlohmann::json& layer : sequence["gone"])
                for (const nlohmann::json& head : layer) {
                    const auto stay = std::count(head.begin(), head.end(), -1);
                    const auto most = kept["budget"].get<std::size_t>();
                    CHECK(static_cast<std::size_t>(stay) == std::min(most, head.size()));
                    gone += static_cast<double>(head.size()) - static_cast<double>(stay);
                }
        CHECK(gone == data["results"]["metrics"]["evictor.evicted"].get<double>());
    };
    check({}, 1);
    check({"--set", "workload.batch=2", "--set",
           R"(workload.prompts=["Once upon a time", "Tom", "One morning"])"},
          3);
    check({"--set", "kv_cache.policy=streaming"}, 1);
}

TEST_CASE("a run without a report removes an older report")
{
    const Workplace place;
    const auto run = [&](const std::vector<std::string>& more) {
        std::vector<std::string> command{"run", "hello", "--quiet", "--out", "out"};
        command.insert(command.end(), more.begin(), more.end());
        REQUIRE(place.levee(command).code == 0);
        return std::filesystem::exists(place.path("out/report.html"));
    };
    CHECK(run({}));
    CHECK_FALSE(run({"--no-report"}));
    CHECK(run({}));
    CHECK_FALSE(run({"--set", "observe.report=false"}));
}

TEST_CASE("a page is made again from its folder, and a folder without results is refused")
{
    const Workplace place;
    REQUIRE(place.levee({"run", "hello", "--quiet", "--out", "out"}).code == 0);
    const std::string first = place.read("out/report.html");
    CHECK(place.levee({"report", "out"}).text.find("out/report.html") != std::string::npos);
    CHECK(place.read("out/report.html") == first);
    std::filesystem::remove(place.path("out/report.html"));
    CHECK(place.levee({"report", "out"}).code == 0);
    CHECK(page_data(place, "out/report.html")["results"] == place.results("out"));
    const Outcome refused = place.levee({"report", "nowhere"});
    CHECK(refused.code == 2);
    CHECK(refused.text.find("nowhere: no results; expected sweep.json") != std::string::npos);
}
