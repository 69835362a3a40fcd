// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/riscv/elf.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace levee::trace {

/// Names of descriptors' tags, as a program gives them (core/abi/tag_names.h).
class Tags {
public:
    Tags() = default;
    explicit Tags(const std::vector<riscv::ElfTagName>& names);

    /// "layer 3 SCORES", or "EMBED" without a layer; "" if the program has no name for the tag.
    [[nodiscard]] std::string name(std::uint32_t tag) const;
    /// "layer 3 SCORES", or "tag 42".
    [[nodiscard]] std::string text(std::uint32_t tag) const;

private:
    std::map<std::uint8_t, std::string> names_;
};

} // namespace levee::trace
