// SPDX-License-Identifier: Apache-2.0
#include "core/component/keys.hpp"
#include "core/component/registry.hpp"
#include "core/config/error.hpp"
#include "core/config/node.hpp"
#include "core/config/reader.hpp"
#include "platform/machine/assembly/system.hpp"
#include "test/unit/config/files.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace levee;

namespace {

const std::string good = R"(
layout: kv
size: 4 MiB
banks: 32
access: 2 ns
refresh: 4 ns
latency: 1.9 ns
intervals: {high_msb: 0.36 ms, high_lsb: 5.4 ms, low_msb: 1.44 ms, low_lsb: 7.2 ms}
retention:
  curve: [[45 us, 1e-6], [1 ms, 0.01]]
)";

ComponentPlan read(const std::string& text)
{
    const std::vector<ComponentType>& types = component_types();
    const auto edram = std::find_if(types.begin(), types.end(), [](const ComponentType& type) {
        return type.name() == "edram";
    });
    REQUIRE(edram != types.end());
    const config::Node node = config::parse_yaml(text, "test.yaml");
    config::MapReader reader(node, "system.memories.kv", keys_of(*edram->declaration));
    return edram->read(reader, {});
}

/// Returns the error after `from` is replaced in the valid configuration.
std::string error(const std::string& from, const std::string& to)
{
    std::string text = good;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    try {
        (void)read(text);
    } catch (const config::Error& error) {
        return error.what();
    }
    return "";
}

/// Requires this error after `from` is replaced in the valid configuration.
void says(const std::string& from, const std::string& to, const std::string& expected)
{
    const std::string message = error(from, to);
    INFO(message);
    CHECK(message.find(expected) != std::string::npos);
    CHECK(message.find("test.yaml:") == 0);
}

/// Returns the error of a system with this eDRAM, or "" if there is none.
std::string fault_of_system(const std::string& layout, const std::string& roles)
{
    const Files files;
    const config::FileFinder finder(files.folder(), config::Reach::Anywhere);
    const std::string text =
        "system:\n  name: s\n  core: {clock: 1 GHz, timebase: 10 MHz}\n"
        "  bus: {latency: 2 ns, port_bandwidth: 16 GB/s}\n  memories:\n"
        "    tcm: {type: tcm, size: 1 MiB, bandwidth: 16 GB/s, latency: 1 ns}\n"
        "    kv: {type: edram, size: 4 MiB, banks: 32, access: 2 ns,\n"
        "      refresh: 4 ns, latency: 2 ns, intervals: 45 us, layout: " +
        layout + ",\n      roles: [" + roles + "]}\n";
    try {
        (void)plan_system(
            config::load_scenario({files.write("s.yaml", text), {}, {}}, finder).system);
    } catch (const config::Error& error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("an eDRAM is read with its controller and the register file after its data", "[config]")
{
    const Placement placement = read(good).placement;
    CHECK(placement.size_bytes == 4 << 20);
    CHECK(placement.mapped() == (4 << 20) + 65536);
    CHECK(placement.bytes_per_second == 256'000'000'000);
    CHECK(error("intervals: {high_msb: 0.36 ms, high_lsb: 5.4 ms, low_msb: 1.44 ms, low_lsb: 7.2 "
                "ms}",
                "intervals: 45 us") == "");
}

TEST_CASE("an error in an eDRAM states the place and what was expected", "[config]")
{
    says("banks: 32", "banks: 30",
         "'system.memories.kv.banks' does not fit 'size' and 'row': "
         "30 banks; expected a multiple of 4");
    says("size: 4 MiB", "size: 5000 B", "is 5000 B, 5000 bytes, which is not a multiple of 4 KiB");
    says("size: 4 MiB", "size: 4 MB",
         "is 4 MB, 4000000 bytes, which is not a multiple of 4 KiB; did you mean 4 MiB?");
    says("banks: 32", "banks: 32\nrow: 24 B", "rows of 24 bytes; expected a multiple of 16");
    says("banks: 32", "banks: 32\nrow: 8 B", "expected at least 16 B");
    says("0.36 ms", "3 ns",
         "'system.memories.kv.intervals' contains 3 ns; expected more than 4 ns");
    says("access: 2 ns", "access: 2", "expected a time such as");
    says("access: 2 ns", "access: 0 ns", "expected at least 1 ps");
    says("refresh: 4 ns", "refrsh: 4 ns", "unknown key 'system.memories.kv.refrsh'");
    says("refresh: 4 ns", "", "lacks the key 'refresh'");
    says("low_lsb: 7.2 ms", "low: 7.2 ms", "unknown key 'system.memories.kv.intervals.low'");
    says(", low_lsb: 7.2 ms", "", "lacks the key 'low_lsb'");
    says("layout: kv", "layout: kvs", "did you mean 'kv'");
}

TEST_CASE("an eDRAM in halves accepts only the roles for keys and values", "[config]")
{
    for (const std::string role : {"activations", "state", "spill", "weights_ring", "model"}) {
        for (const std::string with : {"kv, ", "kv_ring, "}) {
            const std::string message = fault_of_system("kv", with + role);
            INFO(message);
            CHECK(message.find(
                      "s.yaml:9:14: 'system.memories.kv.roles' names other roles in addition "
                      "to keys and values") != std::string::npos);
            CHECK(message.find("expected only kv and kv_ring") != std::string::npos);
            CHECK(fault_of_system("plain", with + role).empty());
        }
        CHECK(fault_of_system("kv", role).empty());
    }
    CHECK(fault_of_system("kv", "kv, kv_ring").empty());
}

TEST_CASE("an error in a retention map states the place and what was expected", "[config]")
{
    const std::string curve = "curve: [[45 us, 1e-6], [1 ms, 0.01]]";
    says(curve, "curve: []", "curve' is empty; expected a list of [age, probability], such as");
    says(curve, "curve: [[45 us, 1e-6, 3]]", "has a list of 3 here; expected a list of [age, ");
    says(curve, "curve: [45 us]", "has a single value here; expected a list of [age, ");
    says(curve, "curve: [[45, 1e-6]]", "curve.age' is '45', which lacks its unit");
    says(curve, "curve: [[0 us, 0.5]]", "curve.age' is 0 us; expected at least 1 ps");
    says(curve, "curve: [[45 us, 1.5]]",
         "curve.probability' is 1.5; expected a number from 0 to 1");
    says(curve, "curve: [[45 us, rare]]", "curve.probability' is 'rare'; expected a number");
    says(curve, "curve: [[45 us, 0.1], [45 us, 0.2]]", "curve.age' does not increase here");
    says(curve, "curve: [[45 us, 0.1], [46 us, 0.05]]", "curve.probability' decreases here");
    says(curve, curve + "\n  failures: often", "expected one of: per_cell, iid");
    says(curve, curve + "\n  groups: [high]", "'high'");
    says(curve, curve + "\n  groups: high_msb", "expected a list of texts");
    says(curve, curve + "\n  time_scale: 0", "expected at least 1");
    says(curve, curve + "\n  time_scale: 2e9", "time_scale");
    says(curve, curve + "\n  read_restores: maybe", "expected true or false");
    says(curve, "failures: iid", "lacks the key 'curve'");
}
