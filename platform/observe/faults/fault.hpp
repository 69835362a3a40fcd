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

/// A bit of a register, which has the same name as in scripts: `rsa.IRQ_ENABLE` or
/// `core.x10`.
struct RegisterBit {
    std::string name;
    unsigned bit = 0;
};
/// A bit of a descriptor that waits in a block's queue. If no descriptor waits, the bit flips in
/// the next descriptor that is submitted.
struct DescriptorBit {
    std::string block;
    std::uint64_t choice = 0; ///< index of the descriptor, modulo the number of waiting descriptors
    unsigned bit = 0;
};
/// A bit of a component's own state that it declares (core/component/injectable.hpp).
struct StateBit {
    std::string component, state;
    std::uint64_t bit = 0;
};
using Flip = std::variant<RegisterBit, BitAt, DescriptorBit, StateBit>;

/// Bits that flip together at one time in a run.
struct Fault {
    Picoseconds at = 0;
    std::vector<Flip> flips;
};

/// Returns the flip as text, such as "core.x10 bit 3" or "memory 0x20000010 bit 7". Different flips
/// have different texts.
[[nodiscard]] std::string text_of(const Flip& flip);

struct Injection {
    Fault fault;
    /// Receives a description of each flipped bit. It is not called if the run ends before the
    /// fault.
    std::function<void(const std::string& text)> flipped;
    /// Called with the reason if a bit cannot be flipped. The run then continues without this flip.
    std::function<void(const std::string& why)> refused;
};

} // namespace levee::faults
