// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/node.hpp"
#include "ip/bus/declaration.hpp"
#include "ip/dram/declaration.hpp"
#include "ip/edram/declaration.hpp"
#include "ip/riscv/declaration.hpp"
#include "ip/rsa/declaration.hpp"
#include "ip/sram/declaration.hpp"
#include "platform/observe/energy/bill.hpp"

#include <string>
#include <vector>

namespace levee::test {

using namespace levee::energy;

inline constexpr EnergyEvent work_events[] = {{"mac"}, {"score"}, {"compare"}};
inline constexpr Declaration evictor_type{.type = "evictor", .events = work_events};

inline const std::vector<const Declaration*> types{
    &riscv::declaration, &bus::declaration,  &commands_declaration, &sram::declaration,
    &edram::declaration, &dram::declaration, &rsa::declaration,     &evictor_type};

constexpr std::uint64_t mebi = 1 << 20;

/// Reads a price list as if it were the file "list.yaml".
inline PriceList list_of(const std::string& yaml, Bound bound = Bound::Stated)
{
    const config::Node node = config::parse_yaml(yaml, "list.yaml");
    return {node, "tech.energy", types, bound};
}

/// Returns the error message of reading or using a list, or "" if there is none.
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
