// SPDX-License-Identifier: Apache-2.0
// Tests the flash's keys in a scenario: the values read, and errors that name the key.
#include "core/component/keys.hpp"
#include "core/component/registry.hpp"
#include "core/config/error.hpp"
#include "core/config/node.hpp"
#include "core/config/reader.hpp"
#include "ip/flash/layout.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>

using namespace levee;

namespace {

const std::string good = R"(
channels: 2
chips: 1
dies: 2
planes: 2
blocks: 16
pages: 64
page: 16 KiB
spare: 1664 B
read: 30 us
program: 600 us
erase: 3 ms
channel: 1 GB/s
macs: 2
core_clock: 400 MHz
buffer: 2 KiB
slice: 2 KiB
link: 32 GB/s
ecc: {value_bits: 8, protected: 163, threshold_copies: 9, value_copies: 2}
errors: {wear: [[0, 1e-4], [3000, 0.01]], retention: [[0 s, 0], [1 s, 1]]}
)";

ComponentPlan read(const std::string& text, const ComponentDefaults& defaults = {})
{
    const std::vector<ComponentType>& types = component_types();
    const auto flash = std::find_if(types.begin(), types.end(), [](const ComponentType& type) {
        return type.name() == "flash";
    });
    REQUIRE(flash != types.end());
    const config::Node node = config::parse_yaml(text, "test.yaml");
    config::MapReader reader(node, "system.memories.flash", keys_of(*flash->declaration));
    return flash->read(reader, defaults);
}

/// Requires this error, with its line, after `from` is replaced in the valid configuration.
void says(const std::string& from, const std::string& to, const std::string& expected)
{
    std::string text = good, message;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    try {
        (void)read(text);
    } catch (const config::Error& error) {
        message = error.what();
    }
    INFO(message);
    CHECK(message.find(expected) != std::string::npos);
    CHECK(message.find("test.yaml:") == 0);
}

} // namespace

TEST_CASE("size, peak and multiply-accumulates follow from the shape")
{
    const ComponentPlan plan = read(good);
    CHECK(plan.placement.size_bytes == std::uint64_t{2} * 2 * 2 * 16 * 64 * 16384);
    CHECK(plan.placement.bytes_per_second == 2'000'000'000); // The two channels are the bottleneck.
    CHECK(plan.macs_per_second == std::uint64_t{4} * 800'000'000);
}

TEST_CASE("impossible values are refused at their place")
{
    says("channels: 2", "channels: 0", "channels");
    says("slice: 2 KiB", "slyce: 2 KiB", "slice");
    says("protected: 163", "protected: 163, address_bits: 13", "addresses of 13 bits for 16384");
    says("protected: 163", "protected: 400", "expected at most the 1664");
    says("value_bits: 8", "value_bits: 5", "values of 5 bits");
    says("threshold_copies: 9, ", "", "lacks the key 'threshold_copies'");
    says("core_clock: 400 MHz", "", "lacks the key 'core_clock'");
    says("[3000, 0.01]", "[3000, 1.01]", "wear.rate' is 1.01; expected a number from 0");
    says("[3000, 0.01]", "[0, 0.01]", "wear does not increase");
    says("[3000, 0.01]", "3000", "has a single value here; expected a list of [cycles");
    says("blocks: 16", "blocks: 900000000", "blocks");
    says("link: 32 GB/s", "link: 32 GB/s\nchannel_rates: [{channel: 2, rate: 1 MB/s}]", "channel");
    says("link: 32 GB/s",
         "link: 32 GB/s\nchannel_rates: [{channel: 1, rate: 1 MB/s}, {channel: 1, rate: 2 MB/s}]",
         "is listed twice");
    says("[[0 s, 0], [1 s, 1]]", "3", "retention' is a single value; expected a list of");
    says("[[0 s, 0], [1 s, 1]]", "[]", "retention' is empty");
    says("[[0, 1e-4], [3000, 0.01]]", "{a: 1}", "wear' is a map; expected a list of");
    says("blocks: 16\npages: 64", "blocks: 65537\npages: 65536", "4295032832 pages per plane");
    says("link: 32 GB/s", "link: 32 GB/s\narbitration: last_come", "arbitration");
    const auto failed = [](const std::string& dies, const std::string& expected) {
        says("link: 32 GB/s", "link: 32 GB/s\nfailed_dies: " + dies, expected);
    };
    failed("{channel: 0, die: 0}", "expected a list of {channel, die}");
    failed("[{channel: 2, die: 0}]", "channel");
    failed("[{channel: 0, die: 2}]", "die");
    failed("[{channel: 0, die: 0, moved_to: 2}]", "moved_to");
    failed("[{channel: 0, die: 0}, {channel: 0, die: 0}]", "die 0 of channel 0 twice");
    failed("[{channel: 0, die: 0, moved_to: 0}]", "die 0, which also fails");
    failed("[{channel: 0, die: 0, moved_to: 1}, {channel: 0, die: 1}]", "die 1, which also fails");
    says("link: 32 GB/s", "link: 32 GB/s\nplacing: {alpha: half}",
         "expected balanced, printed, or a number of 0 to 1");
    says("link: 32 GB/s", "link: 32 GB/s\nplacing: {alpha: 1.5}", "a number from 0 to 1");
    says("link: 32 GB/s", "link: 32 GB/s\nplacing: {alpha: [1]}", "is a list; expected balanced");
    says("link: 32 GB/s", "link: 32 GB/s\nplacing: {split: round}", "split");
    says("link: 32 GB/s", "link: 32 GB/s\nplacing: {columns: 4}", "core_columns");
}

TEST_CASE("a rule for the tile is one of two, and excludes stated columns")
{
    says("link: 32 GB/s", "link: 32 GB/s\nplacing: {tile: best}", "fastest, least_transfer");
    says("link: 32 GB/s", "link: 32 GB/s\nplacing: {tile: fastest, core_columns: 4}",
         "is given together with 'core_columns'");
}

TEST_CASE("the unit's RTL accepts assertions, the reference does not")
{
    ComponentDefaults rtl;
    rtl.implementation = Implementation::Rtl;
    for (const char* const more : {"assertions: true\n", "assertions: false\n"})
        CHECK_NOTHROW(read(good + more, rtl));
    CHECK_THROWS_WITH(read(good + "assertions: true\n"), Catch::Matchers::Contains("assertions"));
}

TEST_CASE("matrices are placed as the keys say, and refused with the memory's name and place")
{
    const ModelMatrix matrix{1, 0, LEVEE_TYPE_INT8, 512, 512, 512, {}};
    const auto placed = [&](const std::string& keys) {
        const KeptMatrices kept = read(good + "placing: {" + keys + "}\n").keep({&matrix, 1}, {});
        levee_flash_kept record;
        REQUIRE(kept.records.size() == 1);
        REQUIRE(kept.records[0].size() == sizeof record);
        std::memcpy(&record, kept.records[0].data(), sizeof record);
        return record;
    };
    CHECK(placed("alpha: 0").flash_rows == 0);
    CHECK(placed("alpha: 0").data_pages == 16);
    CHECK(placed("alpha: 1").flash_rows == 512);
    CHECK(placed("alpha: 1, core_columns: 256").core_rows == 64);
    CHECK(placed("split: diagonal").split == LEVEE_FLASH_SPLIT_DIAGONAL);
    CHECK(placed("result: 1 B, result_shift: 9").result_bytes == 1);
    CHECK(placed("input: 2 B").input_bytes == 2);
    ModelMatrix halves = matrix;
    halves.type = LEVEE_TYPE_FP16;
    std::string message;
    try {
        (void)read(good).keep({&halves, 1}, {});
    } catch (const config::Error& error) {
        message = error.what();
    }
    CHECK(message.find("test.yaml:") == 0);
    CHECK(message.find("'system.memories.flash' computes with INT8 and INT4") != std::string::npos);
}
