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

    /// Call before an operation's streams: finds the ring's memory. Throws
    /// CommandFault(LEVEE_ERROR_ADDRESS, field) if the ring does not lie in one memory, or in one
    /// that is read-only.
    void locate(CommandQueue& queue, std::uint32_t field);
    /// True if the operation's last stream comes from the ring's own memory, or there is no ring.
    [[nodiscard]] bool lies_with(const Operation& operation) const;
    /// Adds the streams of `bytes` into the ring and out of it; none without a ring or bytes.
    void pass(CommandQueue& queue, Operation& operation, std::uint64_t bytes,
              std::uint32_t field) const;

private:
    [[nodiscard]] AccessPattern pattern(std::uint64_t bytes) const;

    std::uint64_t address_ = 0;
    std::uint32_t bytes_ = 0;
    std::uint32_t stride_ = 0;
    std::optional<FlowAccount> memory_; ///< Flow account of the memory, once found.
};

} // namespace levee::rsa
