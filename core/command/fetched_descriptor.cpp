// SPDX-License-Identifier: Apache-2.0
#include "core/command/fetched_descriptor.hpp"

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

void FetchedDescriptor::clear()
{
    descriptor_ = levee_descriptor{};
    whole_.clear();
}

/// Fetches a descriptor. If it is malformed, observers see the part that could be read.
void FetchedDescriptor::fetch(std::uint64_t address)
{
    const std::span bytes(reinterpret_cast<std::uint8_t*>(&descriptor_), LEVEE_DESCRIPTOR_BYTES);
    fetch_bytes(address, bytes, {LEVEE_ERROR_FETCH, 0});
    try {
        if (descriptor_.magic == LEVEE_DESCRIPTOR_MAGIC &&
            descriptor_.version == LEVEE_DESCRIPTOR_V2)
            fetch_continuation();
    } catch (const CommandFault&) {
        observers_.notify(&CommandObserver::fetched, descriptor_);
        throw;
    }
    observers_.notify(&CommandObserver::fetched, descriptor_);
}

void FetchedDescriptor::fetch_bytes(std::uint64_t address, std::span<std::uint8_t> bytes,
                                    CommandFault otherwise)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = bytes.size();
    if (address % descriptor_alignment != 0 || !access_.fetch(pattern, bytes.data()))
        throw otherwise;
}

/// Assembles the operation of a version 2 descriptor.
void FetchedDescriptor::fetch_continuation()
{
    constexpr std::size_t inline_bytes = LEVEE_DESCRIPTOR_INLINE_BYTES;
    const std::size_t bytes = declaration_.operation_bytes;
    const std::size_t continued = bytes > inline_bytes ? bytes - inline_bytes : 0;
    std::uint64_t address = 0;
    std::memcpy(&address, descriptor_.operation + inline_bytes, sizeof address);
    if (descriptor_.continuation_bytes != continued)
        throw CommandFault{LEVEE_ERROR_FIELD, offsetof(levee_descriptor, continuation_bytes)};
    const CommandFault unreadable{LEVEE_ERROR_ADDRESS, LEVEE_DESCRIPTOR_CONTINUATION_AT};
    if (address % descriptor_alignment != 0 || (continued == 0 && address != 0))
        throw unreadable;
    std::vector<std::uint8_t> whole(bytes);
    std::copy_n(descriptor_.operation, std::min(bytes, inline_bytes), whole.begin());
    if (continued != 0) {
        pass_time(fetch_ * divide_up(continued, LEVEE_DESCRIPTOR_BYTES));
        submissions_.need_no_reset();
        fetch_bytes(address, std::span(whole).subspan(inline_bytes), unreadable);
    }
    whole_ = std::move(whole);
    std::fill(descriptor_.operation + inline_bytes, std::end(descriptor_.operation), 0);
    std::copy_n(whole_.begin(), std::min(bytes, sizeof descriptor_.operation),
                descriptor_.operation);
}

void FetchedDescriptor::check_head(const SyncCounters& sync) const
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
    const auto need_counter = [&sync](std::uint8_t counter, std::size_t field) {
        if (counter != LEVEE_NO_COUNTER && !sync.has(counter))
            throw CommandFault{LEVEE_ERROR_COUNTER, static_cast<std::uint32_t>(field)};
    };
    for (std::size_t i = 0; i < std::size(descriptor_.wait_counter); ++i)
        need_counter(descriptor_.wait_counter[i], offsetof(Head, wait_counter) + i);
    for (std::size_t i = 0; i < std::size(descriptor_.signal_counter); ++i)
        need_counter(descriptor_.signal_counter[i], offsetof(Head, signal_counter) + i);
}

void FetchedDescriptor::apply_indirect()
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
        const std::uint32_t word = access_.read_word(indirect.source, field_of_indirect(i));
        std::uint64_t field = 0;
        std::memcpy(&field, at.data(), bytes);
        field += static_cast<std::uint64_t>(static_cast<std::int64_t>(word) * indirect.multiplier);
        std::memcpy(at.data(), &field, bytes);
    }
    std::copy_n(whole_.begin(), std::min(whole_.size(), sizeof descriptor_.operation),
                descriptor_.operation);
}

/// Returns the `bytes` bytes of the operation at an offset in the descriptor; empty if they are
/// outside the operation.
std::span<std::uint8_t> FetchedDescriptor::field_of_operation(std::size_t offset, std::size_t bytes)
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

std::uint32_t FetchedDescriptor::field_in_memory(std::uint32_t field) const
{
    constexpr std::uint32_t address_bytes =
        LEVEE_DESCRIPTOR_BYTES - LEVEE_DESCRIPTOR_CONTINUATION_AT;
    return whole_.empty() || field < LEVEE_DESCRIPTOR_CONTINUATION_AT ? field
                                                                      : field + address_bytes;
}

/// Hash of opcode and operation: FNV-1a over 64-bit words.
std::uint64_t FetchedDescriptor::hash() const
{
    std::uint64_t hash = 0xCBF29CE484222325u ^ descriptor_.opcode;
    const std::span<const std::uint8_t> bytes = operation();
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
        hash = (hash ^ word) * 0x100000001B3u;
    }
    return hash;
}

} // namespace levee
