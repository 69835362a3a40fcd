// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace levee::energy {

/// What a component is, as price lists distinguish them: it says which events it can have.
enum class Kind { Memory, Block, Core, Bus, Commands };

/// A type of component that a price list may name.
struct ComponentType {
    std::string name; ///< as `type:` in a system
    Kind kind = Kind::Block;
};

/// Something in a system that takes energy.
struct Component {
    std::string name;
    std::string type;
    bool on_chip = true;
    std::uint64_t size_bytes = 0; ///< of a memory
    /// What is stated for its type is for it, too: not for a second queue of a block.
    bool has_units = true;
};

/// The part of a chip whose power or area is stated as a whole and that no component stands for.
inline constexpr const char* chip_other = "chip_other";

} // namespace levee::energy
