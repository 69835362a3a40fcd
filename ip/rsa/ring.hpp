// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/command_queue.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace levee::rsa {

/// A ring on chip: LEVEE_RSA_RING_* (ip/rsa/regs.h).
class Ring {
public:
    /// Adds the registers of ring `number`.
    void describe(RegisterFile& registers, unsigned number);

    /// Before an operation's streams: finds the ring's memory. CommandFault(LEVEE_ERROR_ADDRESS,
    /// field) if the ring does not lie in one, or may not be written.
    void locate(CommandQueue& queue, std::uint32_t field);
    /// True if the operation's last stream is of the ring's own memory, or there is no ring.
    [[nodiscard]] bool lies_with(const Operation& operation) const;
    /// Adds streams of `bytes` into the ring and out of it, if there is one and any bytes are.
    void pass(CommandQueue& queue, Operation& operation, std::uint64_t bytes,
              std::uint32_t field) const;

private:
    [[nodiscard]] AccessPattern pattern(std::uint64_t bytes) const;

    std::uint64_t address_ = 0;
    std::uint32_t bytes_ = 0;
    std::uint32_t stride_ = 0;
    std::optional<FlowAccount> memory_; ///< its account, once looked for
};

} // namespace levee::rsa
