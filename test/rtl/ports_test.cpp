// SPDX-License-Identifier: Apache-2.0
// Each block's table of ports (core/rtl/ports.hpp) must equal that of its designs' RTL, as
// elaborated by Verilator.
#include "core/rtl/bench.hpp"
#include "core/rtl/build/build.hpp"
#include "core/rtl/build/probe.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <unistd.h>

using namespace levee;

namespace {

/// Returns a line for each port except clock and reset, sorted.
template <typename Ports> std::string text_of(const Ports& ports)
{
    std::set<std::string> lines;
    for (const auto& port : ports)
        if (port.name != "clk_i" && port.name != "rst_ni")
            lines.insert(port.name + (port.is_input ? ": input of " : ": output of ") +
                         std::to_string(port.bits) + "\n");
    std::string text;
    for (const std::string& line : lines)
        text += line;
    return text;
}

} // namespace

TEST_CASE("pins: names, directions and widths in each block's table match its RTL")
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("levee_ports_test." + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const own_rtl::Tools tools = own_rtl::default_tools();
    CHECK(cosim::targets().size() > 20);
    for (const cosim::Target& target : cosim::targets()) {
        INFO(target.name);
        const auto rtl = probe(tree_description(*target.source, nullptr, tools), tools, folder);
        CHECK(text_of(target.ports) == text_of(rtl.ports));
    }
    std::filesystem::remove_all(folder);
}

TEST_CASE("pins: each output states when its value counts, by ports that exist")
{
    for (const cosim::Target& target : cosim::targets())
        for (const RtlPort& port : target.ports) {
            INFO(target.name << ": " << port.name << " counts when " << port.counts);
            CHECK(port.counts.empty() == port.is_input);
            std::istringstream conditions(port.counts);
            for (std::string one; conditions >> one;) {
                const std::string pin = one.substr(0, one.find_first_of("@="));
                CHECK((pin == "always" ||
                       std::ranges::find(target.ports, pin, &RtlPort::name) != target.ports.end()));
            }
        }
}
