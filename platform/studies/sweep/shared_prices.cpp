// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/shared_prices.hpp"

#include "core/component/registry.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace levee::sweep {

namespace {

/// Returns the new results of all types that share results, in the order of the types. Each type's
/// results follow their length in bytes.
std::string all_added()
{
    std::string all;
    for (const ComponentType& type : component_types()) {
        if (type.shared.added == nullptr)
            continue;
        const std::string added = type.shared.added();
        const std::uint64_t bytes = added.size();
        all.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
        all += added;
    }
    return all;
}

/// Takes the results that all_added() returned in another process. An incomplete text is ignored.
void take_all(std::string_view all)
{
    for (const ComponentType& type : component_types()) {
        std::uint64_t bytes = 0;
        if (type.shared.take == nullptr)
            continue;
        if (all.size() < sizeof bytes)
            return;
        std::memcpy(&bytes, all.data(), sizeof bytes);
        all.remove_prefix(sizeof bytes);
        type.shared.take(all.substr(0, bytes));
        all.remove_prefix(std::min<std::uint64_t>(bytes, all.size()));
    }
}

} // namespace

Handed shared_prices()
{
    for (const ComponentType& type : component_types())
        if (type.shared.share != nullptr)
            type.shared.share();
    return {all_added, [](const std::string& given) { take_all(given); }};
}

} // namespace levee::sweep
