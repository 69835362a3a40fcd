// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/input/program/elf.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace levee::trace {

/// Names of the tags in descriptors. The program supplies these names (core/abi/tag_names.h).
class Tags {
public:
    Tags() = default;
    explicit Tags(const std::vector<ElfTagName>& names);

    /// Returns a name such as "layer 3 SCORES", or only "EMBED" for a tag without a layer. Returns
    /// "" if the program has no name for the tag.
    [[nodiscard]] std::string name(std::uint32_t tag) const;
    /// Like name(), except that a tag without a name becomes "tag 42".
    [[nodiscard]] std::string text(std::uint32_t tag) const;

private:
    std::map<std::uint8_t, std::string> names_;
};

} // namespace levee::trace
