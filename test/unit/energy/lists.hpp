// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/config/node.hpp"
#include "platform/observe/energy/bill.hpp"

#include <string>
#include <vector>

namespace levee::test {

using namespace levee::energy;

inline const std::vector<ComponentType> types{
    {"core", Kind::Core},   {"bus", Kind::Bus},      {"commands", Kind::Commands},
    {"sram", Kind::Memory}, {"edram", Kind::Memory}, {"dram", Kind::Memory},
    {"rsa", Kind::Block},   {"evictor", Kind::Block}};

constexpr std::uint64_t mebi = 1 << 20;

/// Reads a list as if it stood in "list.yaml".
inline PriceList list_of(const std::string& yaml)
{
    const config::Node node = config::parse_yaml(yaml, "list.yaml");
    return {node, "tech.energy", types};
}

/// The message that reading or using a list ends in; empty: none.
template <typename Use> std::string fault(const std::string& yaml, Use use)
{
    try {
        use(list_of(yaml));
    } catch (const config::Error& error) {
        return error.what();
    }
    return {};
}
inline std::string fault(const std::string& yaml)
{
    return fault(yaml, [](const PriceList&) {});
}

} // namespace levee::test
