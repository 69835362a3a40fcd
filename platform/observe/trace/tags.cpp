// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/tags.hpp"

#include "core/abi/tag_names.h"

namespace levee::trace {

Tags::Tags(const std::vector<ElfTagName>& names)
{
    for (const ElfTagName& named : names)
        names_.emplace(named.number, named.name);
}

std::string Tags::name(std::uint32_t tag) const
{
    const auto found = names_.find(static_cast<std::uint8_t>(tag));
    if (found == names_.end())
        return "";
    const std::uint32_t layer = tag >> 8;
    return layer == LEVEE_TAG_NO_LAYER ? found->second
                                       : "layer " + std::to_string(layer) + " " + found->second;
}

std::string Tags::text(std::uint32_t tag) const
{
    const std::string known = name(tag);
    return known.empty() ? "tag " + std::to_string(tag) : known;
}

} // namespace levee::trace
