// SPDX-License-Identifier: Apache-2.0
// The file format itself; what blocks and runs put into it is tested where they are.
#include "platform/observe/trace/timeline_counters.hpp"
#include "test/support/timeline_check.hpp"

#include <fstream>
#include <unistd.h>

namespace {

using namespace levee;
using trace::TimelineWriter;

struct File {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("levee_timeline." + std::to_string(::getpid()) + ".json.gz");
    ~File() { std::filesystem::remove(path); }
};

} // namespace

TEST_CASE("times are exact, names are escaped, spans and arrows come back as written")
{
    const File file;
    {
        TimelineWriter writer(file.path);
        writer.name_process(7, "a \"process\"\n");
        writer.name_thread({7, 1}, "caller", 1);
        writer.name_thread({7, 2}, "callee", 2);
        writer.begin({7, 1}, 1, "outer\\");
        writer.arrow(TimelineWriter::Arrow::Start, 5, {7, 1}, 2);
        writer.span({7, 2}, 3'000'001, 1'000'000'000'000, "long", "\"x\":\"y\"");
        writer.arrow(TimelineWriter::Arrow::Step, 5, {7, 2}, 3'000'001);
        writer.arrow(TimelineWriter::Arrow::Finish, 5, {7, 2}, 3'000'002);
        writer.end({7, 1}, 4'000'000);
        writer.close();
    }
    const std::string text = test::read_compressed(file.path);
    CHECK(text.find("\"ts\":3.000001,\"dur\":1000000.000000") != std::string::npos);
    const test::TimelineCheck check(file.path);
    CHECK(check.content.arrows == 1);
    const auto outer = check.content.on("a \"process\"\n", "caller");
    REQUIRE(outer.size() == 1);
    CHECK(outer[0].name == "outer\\");
    CHECK(outer[0].begin_ps == 1);
    CHECK(outer[0].end_ps == 4'000'000);
    const auto inner = check.content.on("a \"process\"\n", "callee");
    REQUIRE(inner.size() == 1);
    CHECK(inner[0].args["x"] == "y");
}

TEST_CASE("of a counter's values at one time the last is written, and only changes")
{
    const File file;
    {
        TimelineWriter writer(file.path);
        writer.name_process(1, "p");
        trace::TimelineCounters counters(writer);
        const auto a = counters.add(1, "a", "x");
        const auto b = counters.add(1, "b", "x");
        counters.set(a, 10, "5");
        counters.set(a, 10, "6");
        counters.set(b, 10, "0");
        counters.set(a, 20, "7");
        counters.set(a, 20, "6");
        counters.set(b, 30, "1");
        counters.flush();
        writer.close();
    }
    const test::TimelineCheck check(file.path);
    using Values = std::vector<std::pair<std::int64_t, double>>;
    CHECK(check.content.counters.at("a") == Values{{0, 0}, {10, 6}});
    CHECK(check.content.counters.at("b") == Values{{0, 0}, {30, 1}});
}

TEST_CASE("the same events give the same bytes")
{
    const auto write = [](const std::filesystem::path& path) {
        TimelineWriter writer(path);
        writer.name_process(1, "p");
        writer.close();
        std::ifstream stream(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    const File file;
    const std::string first = write(file.path);
    CHECK(!first.empty());
    CHECK(write(file.path) == first);
}

TEST_CASE("a file that cannot be made is refused by name")
{
    CHECK_THROWS_WITH(TimelineWriter("/nowhere/at/all.json.gz"),
                      Catch::Contains("/nowhere/at/all.json.gz: cannot be written"));
}
