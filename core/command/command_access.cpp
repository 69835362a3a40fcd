// SPDX-License-Identifier: Apache-2.0
// Memory accesses of a command queue for its executor: streams, payload, control words, decisions.
#include "core/command/command_queue.hpp"
#include "core/memory/storage.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace levee {

namespace {

constexpr unsigned last_read_flags[] = {LEVEE_DESC_LAST_READ_0, LEVEE_DESC_LAST_READ_1};

bool holds(const BulkExtension::Region& region, const AccessPattern& pattern)
{
    const auto extent = pattern.extent();
    return extent && extent->first >= region.first && extent->last <= region.last;
}

/// Whether its memory takes notice of such accesses.
bool takes_notice(const BulkExtension::Region& region, Direction direction)
{
    return region.tracked && (direction == Direction::Write || !region.ignores_reads);
}

/// Whether its words may be accessed past the bus.
bool is_direct(const BulkExtension::Region& region, Direction direction)
{
    return region.data != nullptr && (direction == Direction::Read || !region.read_only);
}

/// Calls move(address, packed, bytes) for each row, with a constant size for rows of one word.
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

void CommandQueue::add_stream(Operation& operation, Direction direction,
                              const AccessPattern& pattern, std::uint64_t bytes,
                              std::uint32_t field)
{
    if (!pattern.fits_transaction())
        throw CommandFault{LEVEE_ERROR_FIELD, field};
    const auto extent = pattern.extent();
    if (!extent)
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
    if (direction == Direction::Write && pattern.bytes() - 1 > extent->last - extent->first)
        throw CommandFault{LEVEE_ERROR_FIELD, field};
    accessed_field_ = field;
    if (!port_.open(direction, pattern.merged(), bytes, operation.job.activity.uses,
                    operation.lead))
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
    if (direction == Direction::Read && !pattern.scattered)
        note_read(pattern, field);
}

void CommandQueue::add_rows(Operation& operation, Direction direction, const RowList& rows,
                            std::uint64_t bytes, std::uint32_t field)
{
    if (rows.empty())
        return;
    const bool write = direction == Direction::Write;
    for (std::size_t i = 0; i < rows.addresses.size() && write && !timing_only(); ++i)
        check_write(rows.row(i), field);
    for (std::size_t i = 0; i < rows.addresses.size() && !write && notes(field); ++i)
        note_read(rows.row(i), field);
    add_spread(operation, direction, rows.spread(), bytes, field);
}

/// Rows lie in one memory if the first and the last of them do.
void CommandQueue::add_spread(Operation& operation, Direction direction, const RowSpread& rows,
                              std::uint64_t bytes, std::uint32_t field)
{
    if (rows.rows == 0)
        return;
    accessed_field_ = field;
    if (timing_only() && !port_.allows(direction, rows.ends()))
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
    add_stream(operation, direction, rows.stream(), bytes, field);
}

/// Whether this operation is the last to read the operand of this field.
bool CommandQueue::notes(std::uint32_t field) const
{
    const auto operand = executor_.operand_of(field);
    return operand && (descriptor_.flags & last_read_flags[*operand]) != 0;
}

void CommandQueue::note_read(const AccessPattern& pattern, std::uint32_t field)
{
    if (notes(field) && (!timing_only() || tracks(pattern.address)))
        last_read_.push_back(pattern);
}

void CommandQueue::check_write(const AccessPattern& pattern, std::uint32_t field)
{
    accessed_field_ = field;
    if (find_direct(Direction::Write, pattern))
        return;
    if (!port_.allows(Direction::Write, pattern.merged()))
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
}

/// Guards against timing-only runs that move payload and functional runs that do not: both would
/// fail silently.
void CommandQueue::check_payload(const void* packed) const
{
    if (timing_only() != (packed == nullptr))
        throw std::logic_error(std::string(name()) + ": an access to payload " +
                               (timing_only() ? "moves bytes in a timing-only run"
                                              : "moves none in a functional run"));
}

void CommandQueue::read(const AccessPattern& pattern, void* packed, std::uint32_t field)
{
    check_payload(packed);
    if (!account(Direction::Read, pattern))
        move_in(pattern, packed, field);
}

void CommandQueue::write(const AccessPattern& pattern, const void* packed)
{
    check_payload(packed);
    if (!account(Direction::Write, pattern))
        move_out(pattern, packed);
}

void CommandQueue::read_control(const AccessPattern& pattern, void* packed, std::uint32_t field)
{
    accessed_field_ = field;
    if (const auto direct = find_direct(Direction::Read, pattern))
        gather(direct->data, direct->pattern, static_cast<std::uint8_t*>(packed));
    else
        move_in(pattern, packed, field);
}

void CommandQueue::write_control(const AccessPattern& pattern, const void* packed)
{
    if (const auto direct = find_direct(Direction::Write, pattern))
        scatter(direct->data, direct->pattern, static_cast<const std::uint8_t*>(packed));
    else
        move_out(pattern, packed);
}

/// Timing-only: payload that lies in one memory, which does not track accesses.
bool CommandQueue::is_unaccounted(const AccessPattern& pattern)
{
    if (!timing_only())
        return false;
    const BulkExtension::Region& region = region_of(pattern.address);
    return !region.tracked && holds(region, pattern);
}

/// Timing-only: an access to payload in one memory, reported to it directly if it tracks accesses.
/// False if the access has to go over the bus.
bool CommandQueue::account(Direction direction, const AccessPattern& pattern)
{
    if (!timing_only())
        return false;
    const BulkExtension::Region& region = region_of(pattern.address);
    const bool tracked = takes_notice(region, direction);
    if ((tracked && region.tracker == nullptr) || !holds(region, pattern))
        return false;
    if (tracked) {
        AccessPattern there = pattern;
        there.address = pattern.address - region.first + region.tracked_first;
        region.tracker->accessed(direction, there);
    }
    return true;
}

std::optional<CommandQueue::Direct> CommandQueue::find_direct(Direction direction,
                                                              const AccessPattern& pattern)
{
    if (!timing_only())
        return std::nullopt;
    const BulkExtension::Region& region = region_of(pattern.address);
    if (!is_direct(region, direction) || !holds(region, pattern))
        return std::nullopt;
    Direct direct{region.data, pattern.merged()};
    direct.pattern.address -= region.first;
    return direct;
}

void CommandQueue::move_in(const AccessPattern& pattern, void* packed, std::uint32_t field)
{
    accessed_field_ = field;
    if (!port_.read(pattern.merged(), static_cast<std::uint8_t*>(packed)))
        throw CommandFault{LEVEE_ERROR_ADDRESS, field};
}

void CommandQueue::move_out(const AccessPattern& pattern, const void* packed)
{
    if (!port_.write(pattern.merged(), static_cast<const std::uint8_t*>(packed)))
        throw std::logic_error(std::string(name()) + ": a checked write was refused");
}

void CommandQueue::read_rows(const RowList& rows, std::uint8_t* packed, std::uint32_t field)
{
    if (rows.empty() || (timing_only() && !tracks(Direction::Read, rows.addresses.front())))
        return;
    for (std::size_t i = 0; i < rows.addresses.size(); ++i)
        read(rows.row(i), packed == nullptr ? nullptr : packed + i * rows.row_bytes, field);
}

void CommandQueue::write_rows(const RowList& rows, std::size_t first, std::size_t last,
                              const std::uint8_t* packed)
{
    if (first == last || (timing_only() && !tracks(rows.addresses[first])))
        return;
    for (std::size_t i = first; i < last; ++i)
        write(rows.row(i), packed == nullptr ? nullptr : packed + i * rows.row_bytes);
}

void CommandQueue::read_control_rows(const RowList& rows, std::uint8_t* packed, std::uint32_t field)
{
    accessed_field_ = field;
    if (const BulkExtension::Region* const region = direct_region(Direction::Read, rows))
        for_each_row(rows.row_bytes, rows.addresses, packed,
                     [region](std::uint64_t address, std::uint8_t* at, auto bytes) {
                         std::memcpy(at, region->data + (address - region->first), bytes);
                     });
    else
        for (std::size_t i = 0; i < rows.addresses.size(); ++i)
            read_control(rows.row(i), packed + i * rows.row_bytes, field);
}

void CommandQueue::write_control_rows(const RowList& rows, std::size_t first, std::size_t last,
                                      const std::uint8_t* packed)
{
    if (const BulkExtension::Region* const region = direct_region(Direction::Write, rows))
        for_each_row(rows.row_bytes, std::span(rows.addresses).subspan(first, last - first),
                     packed + first * rows.row_bytes,
                     [region](std::uint64_t address, const std::uint8_t* at, auto bytes) {
                         std::memcpy(region->data + (address - region->first), at, bytes);
                     });
    else
        for (std::size_t i = first; i < last; ++i)
            write_control(rows.row(i), packed + i * rows.row_bytes);
}

/// Timing-only: the memory that contains all of the rows, if its words may be accessed directly.
const BulkExtension::Region* CommandQueue::direct_region(Direction direction, const RowList& rows)
{
    if (!timing_only() || rows.empty())
        return nullptr;
    const BulkExtension::Region& region = region_of(rows.addresses.front());
    return is_direct(region, direction) && holds(region, rows.spread().ends()) ? &region : nullptr;
}

const BulkExtension::Region& CommandQueue::region_of(std::uint64_t address)
{
    if (const BulkExtension::Region* const known = known_region(address))
        return *known;
    return regions_.emplace_back(port_.region(address));
}

const BulkExtension::Region* CommandQueue::known_region(std::uint64_t address) const
{
    for (const BulkExtension::Region& region : regions_)
        if (address >= region.first && address <= region.last)
            return &region;
    return nullptr;
}

const std::uint8_t* CommandQueue::peek(std::uint64_t address, std::uint64_t bytes) const
{
    const BulkExtension::Region* const region = known_region(address);
    const bool holds = region != nullptr && bytes - 1 <= region->last - address;
    return holds && region->data != nullptr ? region->data + (address - region->first) : nullptr;
}

bool CommandQueue::tracks(std::uint64_t address)
{
    return region_of(address).tracked;
}

bool CommandQueue::tracks(Direction direction, std::uint64_t address)
{
    return takes_notice(region_of(address), direction);
}

void CommandQueue::decide(Decision decision)
{
    for (const Decision::Write& write : decision.writes)
        carry_out(write);
    if (fabric_.decisions.recorder == nullptr)
        return;
    decision.descriptor = hash_of_operation();
    fabric_.decisions.recorder->decided(name(), operations_, decision);
}

const Decision& CommandQueue::recorded() const
{
    if (fabric_.decisions.source == nullptr)
        throw std::logic_error(std::string(name()) + ": a decision is due and there is no source");
    const Decision& decision = fabric_.decisions.source->decision(name(), operations_);
    if (decision.descriptor != hash_of_operation())
        throw std::runtime_error(std::string(name()) + ": operation " +
                                 std::to_string(operations_) +
                                 " is another one than in the run that was recorded");
    return decision;
}

void CommandQueue::replay(std::uint32_t first, std::uint32_t last)
{
    for (const Decision::Write& write : recorded().writes)
        if (write.iteration >= first && write.iteration < last)
            carry_out(write);
}

/// FNV-1a hash, by words.
std::uint64_t CommandQueue::hash_of_operation() const
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

void CommandQueue::carry_out(const Decision::Write& write)
{
    if (write.bytes.empty())
        discard(write.pattern);
    else
        write_control(write.pattern, write.bytes.data());
}

void CommandQueue::discard(const AccessPattern& pattern)
{
    if (!is_unaccounted(pattern) && !port_.discard(pattern.merged()))
        throw std::logic_error(std::string(name()) + ": a checked discard was refused");
}

} // namespace levee
