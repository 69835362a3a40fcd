// SPDX-License-Identifier: Apache-2.0
// Tests the file format of timelines. Tests of blocks and runs check the contents.
#include "platform/observe/trace/timeline_calls.hpp"
#include "platform/observe/trace/timeline_counters.hpp"
#include "test/support/timeline_check.hpp"

#include <fstream>
#include <unistd.h>

namespace {

using namespace levee;
using trace::JsonTimeline;

struct File {
    std::filesystem::path path = std::filesystem::temp_directory_path() /
                                 ("levee_timeline." + std::to_string(::getpid()) + ".json.gz");
    ~File() { std::filesystem::remove(path); }
};

} // namespace

TEST_CASE("times are exact, names are escaped, and spans and arrows are read back as written")
{
    const File file;
    {
        JsonTimeline writer(file.path);
        writer.name_process(7, "a \"process\"\n");
        writer.name_thread({7, 1}, "caller", 1);
        writer.name_thread({7, 2}, "callee", 2);
        const riscv::Clock clock(1'000'000'000'000);
        trace::TimelineCalls calls(writer, clock, {7, 1});
        const trace::Function outer_function{"outer\\", 0, 4};
        calls.enter(outer_function, 1);
        writer.arrow(JsonTimeline::Arrow::Start, 5, {7, 1}, 2, "command");
        writer.span({7, 2}, 3'000'001, 1'000'000'000'000, "long", {{"x", "y"}});
        writer.arrow(JsonTimeline::Arrow::Step, 5, {7, 2}, 3'000'001, "command");
        writer.arrow(JsonTimeline::Arrow::Finish, 5, {7, 2}, 3'000'002, "command");
        calls.leave(4'000'000);
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

namespace {

/// Writes calls every few cycles, to functions with short and long names, often enough for the text
/// to repeat. In the first `period` calls of every 2 * `period`, another event comes in every
/// second call. In the other calls, an event comes in every thousandth call.
void write_calls(const std::filesystem::path& path, std::uint64_t hz, int period)
{
    const riscv::Clock clock(hz);
    const std::array<trace::Function, 3> functions{
        trace::Function{"f", 0, 4}, {std::string(100, 'g'), 4, 8}, {std::string(300, 'h'), 8, 12}};
    JsonTimeline writer(path);
    writer.name_process(1, "core");
    writer.name_thread({1, 1}, "call stack", 1);
    trace::TimelineCalls stack(writer, clock, {1, 1});
    std::uint64_t cycle = 0;
    for (int i = 0; i < 60'000; ++i) {
        stack.enter(functions[i % 69 == 68 ? 1 + i % 2 : 0], cycle += 5);
        if (i % (i / period % 2 == 0 ? 2 : 1000) == 0)
            writer.counter(1, *clock.edge_ps(cycle), "calls", "count", std::to_string(i));
        stack.leave(cycle += i % 13 == 0 ? 4000 : 6);
    }
    writer.close();
}

} // namespace

TEST_CASE("a compressed timeline of dense calls has the text of an uncompressed one")
{
    const File file;
    std::filesystem::path plain = file.path;
    plain.replace_extension();
    // A clock period of this rate is 666.6... ps.
    const std::uint64_t hz = GENERATE(1'000'000'000, 1'500'000'000);
    const int period = GENERATE(7'000, 100'000);
    write_calls(file.path, hz, period);
    write_calls(plain, hz, period);
    std::ifstream stream(plain, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    CHECK(test::read_compressed(file.path) == text);
    CHECK(std::filesystem::file_size(file.path) < text.size() / 8);
    std::filesystem::remove(plain);
    if ((hz == 1'000'000'000) != (period == 7'000))
        return; // Two of the four texts have both clocks and both periods.
    const test::TimelineCheck check(file.path);
    const auto spans = check.content.on("core", "call stack");
    REQUIRE(spans.size() == 60'000);
    CHECK(spans[68].name == std::string(100, 'g'));
    CHECK(spans[137].name == std::string(300, 'h'));
    CHECK(spans[0].begin_ps == (hz == 1'000'000'000 ? 5'000 : 3'333));
    CHECK(spans[0].end_ps == (hz == 1'000'000'000 ? 4'005'000 : 2'670'000));
}

TEST_CASE("text that was announced as a repetition but is none is compressed correctly")
{
    const File file;
    std::string text;
    {
        trace::TextFile compressed(file.path);
        const auto write = [&](const std::string& part) {
            compressed.write(part);
            text += part;
        };
        for (int i = 0; i < 20'000; ++i) {
            const std::uint64_t at = compressed.position();
            // These hints are right for all lines except the first line and those called odd.
            compressed.repeats(at, 20, at - 20);
            compressed.repeats(at + 10, 20, at - 5); // source and destination overlap
            write(i % 100 == 99 ? "an odd line of text\n" : "a line as all are.\n.");
        }
        compressed.close();
    }
    CHECK(test::read_compressed(file.path) == text);
}

TEST_CASE("of a counter's values at one time only the last is written, and only if it changed")
{
    const File file;
    {
        JsonTimeline writer(file.path);
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
        JsonTimeline writer(path);
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

TEST_CASE("a file that cannot be created is refused by name")
{
    CHECK_THROWS_WITH(JsonTimeline("/nowhere/at/all.json.gz"),
                      Catch::Contains("/nowhere/at/all.json.gz: cannot be written"));
}
