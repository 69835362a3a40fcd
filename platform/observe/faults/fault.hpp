// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/units/time.hpp"
#include "platform/observe/faults/bit_range.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace levee::faults {

/// A bit of a register by name, as scripts name it: `rsa.IRQ_ENABLE`, `core.x10`.
struct RegisterBit {
    std::string name;
    unsigned bit = 0;
};
/// A bit of a descriptor that waits in a block's queue; if none waits, of the next one submitted.
struct DescriptorBit {
    std::string block;
    std::uint64_t choice = 0; ///< Choice among waiting descriptors: this number modulo their count.
    unsigned bit = 0;
};
/// A bit of state that a component declares (core/component/injectable.hpp).
struct StateBit {
    std::string component, state;
    std::uint64_t bit = 0;
};
using Flip = std::variant<RegisterBit, BitAt, DescriptorBit, StateBit>;

/// Bits that flip at one time of a run.
struct Fault {
    Picoseconds at = 0;
    std::vector<Flip> flips;
};

/// "core.x10 bit 3", "memory 0x20000010 bit 7": the same text, the same flip.
[[nodiscard]] std::string text_of(const Flip& flip);

/// A fault for a run.
struct Injection {
    Fault fault;
    /// Receives a description of the flipped bits; not called if the run ends before.
    std::function<void(const std::string& text)> flipped;
    /// Called with the reason if a bit cannot be flipped. The run then continues without the fault.
    std::function<void(const std::string& why)> refused;
};

} // namespace levee::faults
