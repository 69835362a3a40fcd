// SPDX-License-Identifier: Apache-2.0
#include "core/command/memory_access.hpp"

#include "core/memory/storage.hpp"

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace levee {

namespace {

/// Calls move(address, packed, bytes) for each row. If rows have one word, the size is a
/// compile-time constant.
void for_each_row(std::uint64_t row_bytes, std::span<const std::uint64_t> addresses, auto* packed,
                  auto move)
{
    constexpr std::integral_constant<std::size_t, sizeof(std::uint32_t)> word;
    for (const std::uint64_t address : addresses) {
        if (row_bytes == word)
            move(address, packed, word);
        else
            move(address, packed, row_bytes);
        packed += row_bytes;
    }
}

} // namespace

MemoryAccess::MemoryAccess(const char* name, DataMode data)
    : memory("memory"), name_(name), data_(data), port_(memory), regions_(port_)
{
}

void MemoryAccess::fail(const char* what) const
{
    throw std::logic_error(std::string(name_) + ": " + what);
}

bool MemoryAccess::tracks(std::uint64_t address)
{
    return regions_.at(address).tracked;
}

bool MemoryAccess::tracks(Direction direction, std::uint64_t address)
{
    return KnownRegions::notices(regions_.at(address), direction);
}

/// Throws if a timing-only run moves payload, or if a functional run moves none. Otherwise, both
/// errors would go unnoticed.
void MemoryAccess::check_payload(const void* packed) const
{
    if (timing_only() != (packed == nullptr))
        fail(timing_only() ? "a payload access moves bytes in a timing-only run"
                           : "a payload access moves no bytes in a functional run");
}

void MemoryAccess::read(const AccessPattern& pattern, void* packed, std::uint32_t field)
{
    check_payload(packed);
    if (!account(Direction::Read, pattern))
        move_in(pattern, packed, field);
}

void MemoryAccess::write(const AccessPattern& pattern, const void* packed)
{
    check_payload(packed);
    if (!account(Direction::Write, pattern))
        move_out(pattern, packed);
}

void MemoryAccess::read_control(const AccessPattern& pattern, void* packed, std::uint32_t field)
{
    field_ = field;
    if (!fetch(pattern, packed))
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
}

void MemoryAccess::write_control(const AccessPattern& pattern, const void* packed)
{
    if (const auto found = direct(Direction::Write, pattern))
        scatter(found->data, found->pattern, static_cast<const std::uint8_t*>(packed));
    else
        move_out(pattern, packed);
}

std::uint32_t MemoryAccess::read_word(std::uint64_t address, std::uint32_t field)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = sizeof(std::uint32_t);
    std::uint32_t word = 0;
    read_control(pattern, &word, field);
    return word;
}

bool MemoryAccess::fetch(const AccessPattern& pattern, void* packed)
{
    auto* const bytes = static_cast<std::uint8_t*>(packed);
    const auto found = direct(Direction::Read, pattern);
    if (!found)
        return port_.read(pattern.merged(), bytes);
    gather(found->data, found->pattern, bytes);
    return true;
}

/// Timing-only: reports an access to payload directly to its memory, if the memory tracks accesses.
/// Returns false if the access must go through the bus.
bool MemoryAccess::account(Direction direction, const AccessPattern& pattern)
{
    if (!timing_only())
        return false;
    const KnownRegions::Region& region = regions_.at(pattern.address);
    const bool tracked = KnownRegions::notices(region, direction);
    if ((tracked && region.tracker == nullptr) || !KnownRegions::holds(region, pattern))
        return false;
    if (tracked) {
        AccessPattern there = pattern;
        there.address = pattern.address - region.first + region.tracked_first;
        region.tracker->accessed(direction, there);
    }
    return true;
}

std::optional<KnownRegions::Direct> MemoryAccess::direct(Direction direction,
                                                         const AccessPattern& pattern)
{
    return timing_only() ? regions_.direct(direction, pattern) : std::nullopt;
}

/// Timing-only: returns the memory that contains all of the rows, if its words are accessible
/// without the bus.
const KnownRegions::Region* MemoryAccess::reachable(Direction direction, const RowList& rows)
{
    return timing_only() && !rows.empty() ? regions_.reachable(direction, rows.spread().ends())
                                          : nullptr;
}

void MemoryAccess::move_in(const AccessPattern& pattern, void* packed, std::uint32_t field)
{
    field_ = field;
    if (!port_.read(pattern.merged(), static_cast<std::uint8_t*>(packed)))
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
}

void MemoryAccess::move_out(const AccessPattern& pattern, const void* packed)
{
    if (!port_.write(pattern.merged(), static_cast<const std::uint8_t*>(packed)))
        fail("memory refused a write that had passed all checks");
}

void MemoryAccess::read_rows(const RowList& rows, std::uint8_t* packed, std::uint32_t field)
{
    if (rows.empty() || (timing_only() && !tracks(Direction::Read, rows.addresses.front())))
        return;
    for (std::size_t i = 0; i < rows.addresses.size(); ++i)
        read(rows.row(i), packed == nullptr ? nullptr : packed + i * rows.row_bytes, field);
}

void MemoryAccess::write_rows(const RowList& rows, std::size_t first, std::size_t last,
                              const std::uint8_t* packed)
{
    if (first == last || (timing_only() && !tracks(rows.addresses[first])))
        return;
    for (std::size_t i = first; i < last; ++i)
        write(rows.row(i), packed == nullptr ? nullptr : packed + i * rows.row_bytes);
}

void MemoryAccess::read_control_rows(const RowList& rows, std::uint8_t* packed, std::uint32_t field)
{
    field_ = field;
    if (const KnownRegions::Region* const region = reachable(Direction::Read, rows))
        for_each_row(rows.row_bytes, rows.addresses, packed,
                     [region](std::uint64_t address, std::uint8_t* at, auto bytes) {
                         std::memcpy(at, region->data + (address - region->first), bytes);
                     });
    else
        for (std::size_t i = 0; i < rows.addresses.size(); ++i)
            read_control(rows.row(i), packed + i * rows.row_bytes, field);
}

void MemoryAccess::write_control_rows(const RowList& rows, std::size_t first, std::size_t last,
                                      const std::uint8_t* packed)
{
    if (const KnownRegions::Region* const region = reachable(Direction::Write, rows))
        for_each_row(rows.row_bytes, std::span(rows.addresses).subspan(first, last - first),
                     packed + first * rows.row_bytes,
                     [region](std::uint64_t address, const std::uint8_t* at, auto bytes) {
                         std::memcpy(region->data + (address - region->first), at, bytes);
                     });
    else
        for (std::size_t i = first; i < last; ++i)
            write_control(rows.row(i), packed + i * rows.row_bytes);
}

void MemoryAccess::check(Direction direction, const AccessPattern& pattern, std::uint32_t field)
{
    field_ = field;
    if (!direct(direction, pattern) && !port_.allows(direction, pattern.merged()))
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
}

void MemoryAccess::open(Direction direction, const AccessPattern& pattern, std::uint64_t bytes,
                        Operation& operation, std::uint32_t field,
                        std::span<const std::uint64_t> parts)
{
    field_ = field;
    if (!port_.open(direction, pattern.merged(), bytes, operation.job.activity.uses, operation.lead,
                    parts))
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
}

/// Discards the bytes of a pattern. Timing-only runs do this only in memories that track accesses.
void MemoryAccess::discard(const AccessPattern& pattern)
{
    if (timing_only()) {
        const KnownRegions::Region& region = regions_.at(pattern.address);
        if (!region.tracked && KnownRegions::holds(region, pattern))
            return;
    }
    if (!port_.discard(pattern.merged()))
        fail("memory refused a discard that had passed all checks");
}

const std::uint8_t* MemoryAccess::peek(std::uint64_t address, std::uint64_t bytes) const
{
    const KnownRegions::Region* const region = regions_.known(address);
    const bool holds = region != nullptr && bytes - 1 <= region->last - address;
    return holds && region->data != nullptr ? region->data + (address - region->first) : nullptr;
}

} // namespace levee
