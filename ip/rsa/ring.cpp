// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/ring.hpp"

#include "ip/rsa/regs.h"

#include <algorithm>

namespace levee::rsa {

/// Returns the whole ring, or the part that `bytes` bytes occupy.
AccessPattern Ring::pattern(std::uint64_t bytes) const
{
    AccessPattern pattern;
    pattern.address = address_;
    if (stride_ != 0) {
        pattern.count[2] = 2;
        pattern.stride[2] = stride_;
        bytes = bytes / 2 + bytes % 2;
    }
    pattern.run_bytes = std::min<std::uint64_t>(bytes_, bytes);
    return pattern;
}

void Ring::describe(RegisterFile& registers, unsigned number)
{
    const std::string prefix = "RING" + std::to_string(number) + "_";
    const auto half = [&](const char* name, std::uint32_t offset, unsigned shift) {
        registers.add({prefix + name, offset,
                       [this, shift] { return static_cast<std::uint32_t>(address_ >> shift); },
                       [this, shift](std::uint32_t value) {
                           address_ &= ~(std::uint64_t{0xFFFFFFFF} << shift);
                           address_ |= std::uint64_t{value} << shift;
                           memory_.reset();
                       }});
    };
    half("LO", LEVEE_RSA_RING_LO(number), 0);
    half("HI", LEVEE_RSA_RING_HI(number), 32);
    const auto word = [&](const char* name, std::uint32_t offset, std::uint32_t& of) {
        registers.add({prefix + name, offset, [&of] { return of; },
                       [this, &of](std::uint32_t value) {
                           of = value;
                           memory_.reset();
                       }});
    };
    word("BYTES", LEVEE_RSA_RING_BYTES(number), bytes_);
    word("STRIDE", LEVEE_RSA_RING_STRIDE(number), stride_);
}

void Ring::locate(CommandQueue& queue, std::uint32_t field)
{
    if (bytes_ == 0 || memory_)
        return;
    Operation probe;
    queue.add_stream(probe, Direction::Write, pattern(2 * std::uint64_t{bytes_}), 0, field);
    memory_ = probe.job.activity.uses.back().resource->account();
}

bool Ring::lies_with(const Operation& operation) const
{
    return bytes_ == 0 || operation.job.activity.uses.back().resource->account() == *memory_;
}

void Ring::pass(CommandQueue& queue, Operation& operation, std::uint64_t bytes,
                std::uint32_t field) const
{
    if (bytes_ == 0 || bytes == 0)
        return;
    const AccessPattern passed = pattern(bytes);
    queue.add_stream(operation, Direction::Write, passed, bytes, field);
    queue.add_stream(operation, Direction::Read, passed, bytes, field);
}

} // namespace levee::rsa
