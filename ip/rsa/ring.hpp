// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace levee::rsa {

/// An on-chip staging ring: LEVEE_RSA_RING_* (ip/rsa/regs.h).
class Ring {
public:
    /// Adds the registers of ring `number`.
    void describe(RegisterFile& registers, unsigned number);

    /// Finds the ring's memory; call it before an operation's streams are opened. Throws
    /// CommandFault(LEVEE_ERROR_ADDRESS, field) if the ring is not in one memory, or if that memory
    /// is read-only.
    void locate(CommandQueue& queue, std::uint32_t field);
    /// Whether the operation's last stream comes from the memory that contains the ring. Also true
    /// if there is no ring.
    [[nodiscard]] bool lies_with(const Operation& operation) const;
    /// Adds the streams of `bytes` into the ring and out of it. Does nothing without a ring or
    /// bytes.
    void pass(CommandQueue& queue, Operation& operation, std::uint64_t bytes,
              std::uint32_t field) const;

private:
    [[nodiscard]] AccessPattern pattern(std::uint64_t bytes) const;

    std::uint64_t address_ = 0;
    std::uint32_t bytes_ = 0;
    std::uint32_t stride_ = 0;
    std::optional<FlowAccount> memory_; ///< Account of the ring's memory, once found.
};

} // namespace levee::rsa
