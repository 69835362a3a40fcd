#include "ip/rsa/ring.hpp"

#include "ip/rsa/regs.h"

#include <algorithm>

namespace levee::rsa {

namespace {

AccessPattern run_of(std::uint64_t address, std::uint64_t bytes)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = bytes;
    return pattern;
}

} // namespace

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
    registers.add({prefix + "BYTES", LEVEE_RSA_RING_BYTES(number), [this] { return bytes_; },
                   [this](std::uint32_t value) {
                       bytes_ = value;
                       memory_.reset();
                   }});
}

void Ring::locate(CommandQueue& queue, std::uint32_t field)
{
    if (bytes_ == 0 || memory_)
        return;
    Operation probe;
    queue.add_stream(probe, Direction::Write, run_of(address_, bytes_), 0, field);
    memory_ = probe.job.activity.uses.back().resource->flow_name();
}

bool Ring::lies_with(const Operation& operation) const
{
    return bytes_ == 0 || operation.job.activity.uses.back().resource->flow_name() == *memory_;
}

void Ring::pass(CommandQueue& queue, Operation& operation, std::uint64_t bytes,
                std::uint32_t field) const
{
    if (bytes_ == 0 || bytes == 0)
        return;
    const AccessPattern pattern = run_of(address_, std::min<std::uint64_t>(bytes_, bytes));
    queue.add_stream(operation, Direction::Write, pattern, bytes, field);
    queue.add_stream(operation, Direction::Read, pattern, bytes, field);
}

} // namespace levee::rsa
