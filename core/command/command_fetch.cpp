// SPDX-License-Identifier: Apache-2.0
// Fetch of a descriptor by a command queue: its bytes, its continuation, its indirect operands.
#include "core/command/command_queue.hpp"
#include "core/memory/storage.hpp"
#include "core/units/clock.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace levee {

namespace {

constexpr std::uint64_t descriptor_alignment = 8;
constexpr unsigned known_flags = LEVEE_DESC_IRQ | LEVEE_DESC_LAST_READ_0 | LEVEE_DESC_LAST_READ_1;

std::uint32_t field_of_indirect(std::size_t i)
{
    return static_cast<std::uint32_t>(offsetof(levee_descriptor, indirect) +
                                      i * sizeof(levee_indirect));
}

} // namespace

/// Observers see a descriptor once it is complete, or the available part of a malformed one.
void CommandQueue::fetch(const Pending& pending)
{
    AccessPattern pattern;
    pattern.address = pending.address;
    pattern.run_bytes = LEVEE_DESCRIPTOR_BYTES;
    const CommandFault unreadable{LEVEE_ERROR_FETCH, 0};
    if (pending.address % descriptor_alignment != 0)
        throw unreadable;
    fetch_bytes(pattern, reinterpret_cast<std::uint8_t*>(&descriptor_), unreadable);
    const auto tell_fetched = [this] {
        notify([this](CommandObserver& o) { o.fetched(*this, descriptor_); });
    };
    try {
        if (descriptor_.magic == LEVEE_DESCRIPTOR_MAGIC &&
            descriptor_.version == LEVEE_DESCRIPTOR_V2)
            fetch_continuation();
    } catch (const CommandFault&) {
        tell_fetched();
        throw;
    }
    tell_fetched();
}

void CommandQueue::fetch_bytes(const AccessPattern& pattern, std::uint8_t* packed,
                               CommandFault otherwise)
{
    if (const auto direct = find_direct(Direction::Read, pattern))
        gather(direct->data, direct->pattern, packed);
    else if (!port_.read(pattern, packed))
        throw otherwise;
}

/// Assembles the operation of a version 2 descriptor.
void CommandQueue::fetch_continuation()
{
    constexpr std::size_t inline_bytes = LEVEE_DESCRIPTOR_INLINE_BYTES;
    const std::size_t bytes = declaration_.operation_bytes;
    AccessPattern pattern;
    pattern.run_bytes = bytes > inline_bytes ? bytes - inline_bytes : 0;
    std::memcpy(&pattern.address, descriptor_.operation + inline_bytes, sizeof pattern.address);
    if (descriptor_.continuation_bytes != pattern.run_bytes)
        throw CommandFault{LEVEE_ERROR_FIELD, offsetof(levee_descriptor, continuation_bytes)};
    const CommandFault unreadable{LEVEE_ERROR_ADDRESS, LEVEE_DESCRIPTOR_CONTINUATION_AT};
    if (pattern.address % descriptor_alignment != 0 ||
        (pattern.run_bytes == 0 && pattern.address != 0))
        throw unreadable;
    std::vector<std::uint8_t> whole(bytes);
    std::copy_n(descriptor_.operation, std::min(bytes, inline_bytes), whole.begin());
    if (pattern.run_bytes != 0) {
        if (config_.timing.fetch)
            pass_time(config_.fetch * divide_up(pattern.run_bytes, LEVEE_DESCRIPTOR_BYTES));
        if (epoch_ != running_epoch_)
            throw Dropped{};
        fetch_bytes(pattern, whole.data() + inline_bytes, unreadable);
    }
    whole_ = std::move(whole);
    std::fill(descriptor_.operation + inline_bytes, std::end(descriptor_.operation), 0);
    std::copy_n(whole_.begin(), std::min(bytes, sizeof descriptor_.operation),
                descriptor_.operation);
}

/// Checks the descriptor's head, common to all blocks.
void CommandQueue::check_head() const
{
    using Head = levee_descriptor;
    if (descriptor_.magic != LEVEE_DESCRIPTOR_MAGIC)
        throw CommandFault{LEVEE_ERROR_MAGIC, 0};
    const bool is_long = declaration_.operation_bytes > sizeof descriptor_.operation;
    if (descriptor_.version != LEVEE_DESCRIPTOR_V2 &&
        (descriptor_.version != LEVEE_DESCRIPTOR_V1 || is_long))
        throw CommandFault{LEVEE_ERROR_VERSION, offsetof(Head, version)};
    if ((descriptor_.flags & ~known_flags) != 0)
        throw CommandFault{LEVEE_ERROR_FIELD, offsetof(Head, flags)};
    if (descriptor_.reserved0 != 0)
        throw CommandFault{LEVEE_ERROR_FIELD, offsetof(Head, reserved0)};
    if (descriptor_.version == LEVEE_DESCRIPTOR_V1 && descriptor_.continuation_bytes != 0)
        throw CommandFault{LEVEE_ERROR_FIELD, offsetof(Head, continuation_bytes)};
    const auto need_counter = [this](std::uint8_t counter, std::size_t field) {
        if (counter != LEVEE_NO_COUNTER && !fabric_.sync.has(counter))
            throw CommandFault{LEVEE_ERROR_COUNTER, static_cast<std::uint32_t>(field)};
    };
    for (std::size_t i = 0; i < std::size(descriptor_.wait_counter); ++i)
        need_counter(descriptor_.wait_counter[i], offsetof(Head, wait_counter) + i);
    for (std::size_t i = 0; i < std::size(descriptor_.signal_counter); ++i)
        need_counter(descriptor_.signal_counter[i], offsetof(Head, signal_counter) + i);
}

void CommandQueue::apply_indirect()
{
    for (std::size_t i = 0; i < std::size(descriptor_.indirect); ++i) {
        const levee_indirect& indirect = descriptor_.indirect[i];
        if (indirect.source == 0)
            continue;
        const std::size_t bytes = indirect.field_bytes;
        const std::span<std::uint8_t> at = field_of_operation(indirect.field_offset, bytes);
        if ((bytes != 4 && bytes != 8) || at.empty())
            throw CommandFault{LEVEE_ERROR_FIELD, field_of_indirect(i)};
        if (indirect.source % sizeof(std::uint32_t) != 0)
            throw CommandFault{LEVEE_ERROR_ADDRESS, field_of_indirect(i)};
        const std::uint32_t word = read_word(indirect.source, field_of_indirect(i));
        std::uint64_t field = 0;
        std::memcpy(&field, at.data(), bytes);
        field += static_cast<std::uint64_t>(static_cast<std::int64_t>(word) * indirect.multiplier);
        std::memcpy(at.data(), &field, bytes);
    }
    std::copy_n(whole_.begin(), std::min(whole_.size(), sizeof descriptor_.operation),
                descriptor_.operation);
}

/// The `bytes` of the operation at an offset in the descriptor; none if they do not lie in the
/// operation.
std::span<std::uint8_t> CommandQueue::field_of_operation(std::size_t offset, std::size_t bytes)
{
    constexpr std::size_t head = offsetof(levee_descriptor, operation);
    if (offset < head)
        return {};
    if (whole_.empty())
        return offset + bytes <= LEVEE_DESCRIPTOR_BYTES
                   ? std::span(descriptor_.operation).subspan(offset - head, bytes)
                   : std::span<std::uint8_t>{};
    const bool is_inline = offset + bytes <= LEVEE_DESCRIPTOR_CONTINUATION_AT;
    if (!is_inline && offset < LEVEE_DESCRIPTOR_BYTES)
        return {};
    const std::size_t member =
        is_inline ? offset - head : offset - LEVEE_DESCRIPTOR_BYTES + LEVEE_DESCRIPTOR_INLINE_BYTES;
    return member + bytes <= whole_.size() ? std::span(whole_).subspan(member, bytes)
                                           : std::span<std::uint8_t>{};
}

/// Executors name a field by its offset in the operation, whatever the version.
std::uint32_t CommandQueue::field_in_memory(std::uint32_t field) const
{
    constexpr std::uint32_t address_bytes =
        LEVEE_DESCRIPTOR_BYTES - LEVEE_DESCRIPTOR_CONTINUATION_AT;
    return whole_.empty() || field < LEVEE_DESCRIPTOR_CONTINUATION_AT ? field
                                                                      : field + address_bytes;
}

} // namespace levee
