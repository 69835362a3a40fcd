// SPDX-License-Identifier: Apache-2.0
#include "ip/expert_cache/module.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace levee::expert_cache {

namespace {

/// Returns runs of `bytes` bytes at these addresses, approximated by even spacing from the lowest
/// to the highest address. Duplicates count once.
AccessPattern spread(std::vector<std::uint64_t> addresses, std::uint64_t bytes)
{
    std::ranges::sort(addresses);
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    AccessPattern pattern;
    pattern.address = addresses.front();
    pattern.run_bytes = bytes;
    pattern.count[0] = addresses.size();
    if (addresses.size() > 1)
        pattern.stride[0] = static_cast<std::int64_t>((addresses.back() - addresses.front()) /
                                                      (addresses.size() - 1));
    return pattern;
}

AccessPattern whole(std::uint64_t address, std::uint64_t bytes)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = bytes;
    return pattern;
}

AccessPattern moved(AccessPattern pattern, std::uint64_t by)
{
    pattern.address += by;
    return pattern;
}

} // namespace

ExpertCache::ExpertCache(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), port("port"), memory("memory"), config_(config), bulk_(memory)
{
    port.register_b_transport(this, &ExpertCache::transport);
    port.register_transport_dbg(this, &ExpertCache::transport_debug);
}

void ExpertCache::hold(std::span<const ExpertMatrices> experts, const Places& places)
{
    places_ = places;
    layout_ = Layout(experts);
    if (layout_.slot_bytes() == 0 || places.copies_bytes < layout_.slot_bytes())
        throw std::invalid_argument(std::string(name()) + ": " +
                                    std::to_string(places.copies_bytes) +
                                    " bytes for copies; expected at least the largest expert's " +
                                    std::to_string(layout_.slot_bytes()));
    directory_ = Directory(places.copies_bytes / layout_.slot_bytes());
}

void ExpertCache::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (directory_.slots() == 0)
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    else if (auto* const bulk = payload.get_extension<BulkExtension>())
        payload.set_response_status(transport_bulk(payload, *bulk));
    else
        transport_plain(payload, delay);
}

/// Forwards single accesses, such as the core's, to the memory that contains all experts.
void ExpertCache::transport_plain(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    const std::uint64_t address = payload.get_address();
    payload.set_address(places_.experts + address);
    memory->b_transport(payload, delay);
    payload.set_address(address);
}

tlm::tlm_response_status ExpertCache::transport_bulk(tlm::tlm_generic_payload& payload,
                                                     BulkExtension& access)
{
    const auto extent = access.pattern.extent();
    if (!extent || extent->last >= config_.bytes)
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (access.direction == Direction::Write)
        return tlm::TLM_COMMAND_ERROR_RESPONSE;
    bool good = true;
    if (access.phase == BulkExtension::Phase::Open)
        good = open(access, *extent);
    else if (payload.is_read())
        good = read(access.pattern, *extent, payload.get_data_ptr());
    return good ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

bool ExpertCache::open(BulkExtension& access, const AccessPattern::Extent& extent)
{
    access.region = {0, config_.bytes - 1, false, nullptr};
    if (access.uses == nullptr)
        return bulk_.allows(Direction::Read, moved(access.pattern, places_.experts));
    const ExpertMatrices* const experts = layout_.find(extent.first, extent.last);
    return experts == nullptr ? open_around(access) : open_through(access, extent, *experts);
}

/// Opens a stream without using copies. Used for all streams except reads of one kind of matrix
/// from one layer's experts.
bool ExpertCache::open_around(BulkExtension& access)
{
    Picoseconds latency = 0;
    const bool good = bulk_.open(Direction::Read, moved(access.pattern, places_.experts),
                                 access.bytes, *access.uses, latency);
    access.latency += latency;
    return good;
}

/// Opens a stream through the cache. Matrices without a copy stream from their memory to the reader
/// and into their new copy at the same time. All other matrices are read from copies.
bool ExpertCache::open_through(BulkExtension& access, const AccessPattern::Extent& extent,
                               const ExpertMatrices& experts)
{
    const Traffic traffic = look_up(access, extent, experts);
    const std::uint64_t missed = traffic.missed.size() * experts.bytes;
    const std::uint64_t copied = access.bytes - std::min(access.bytes, missed);
    Picoseconds latency = 0;
    const auto add = [&](Direction direction, const AccessPattern& pattern, std::uint64_t bytes) {
        return bulk_.open(direction, pattern, bytes, *access.uses, latency);
    };
    const std::vector<std::uint64_t>& read = traffic.hits.empty() ? traffic.misses : traffic.hits;
    bool good = true;
    if (copied != 0)
        good &= add(Direction::Read,
                    spread(read, std::clamp<std::uint64_t>(copied / read.size(), 1, experts.bytes)),
                    copied);
    if (missed != 0) {
        good &= add(Direction::Write, spread(traffic.misses, experts.bytes), missed);
        good &= add(Direction::Read, spread(traffic.missed, experts.bytes), missed);
    }
    read_bytes_ += access.bytes;
    access.latency += latency;
    return good;
}

ExpertCache::Traffic ExpertCache::look_up(const BulkExtension& access,
                                          const AccessPattern::Extent& extent,
                                          const ExpertMatrices& experts)
{
    Traffic traffic;
    for (const std::uint64_t part : access.parts)
        use(layout_.matrix(experts, access.pattern.address + part), traffic);
    for (std::uint64_t at = extent.first; access.parts.empty() && at <= extent.last;) {
        const Matrix matrix = layout_.matrix(experts, at);
        use(matrix, traffic);
        at = matrix.offset + matrix.bytes;
    }
    return traffic;
}

void ExpertCache::use(const Matrix& matrix, Traffic& traffic)
{
    const Directory::Place place = directory_.use(matrix);
    const std::uint64_t copy = copy_of(matrix, place.slot);
    ++(place.was_there ? hits_ : misses_);
    (place.was_there ? traffic.hits : traffic.misses).push_back(copy);
    if (place.was_there)
        return;
    traffic.missed.push_back(places_.experts + matrix.offset);
    filled_bytes_ += matrix.bytes;
    if (config_.data == DataMode::Functional)
        fill(matrix, copy);
}

/// Copies a matrix to its slot, including any bit errors of the memory that it is read from.
void ExpertCache::fill(const Matrix& matrix, std::uint64_t copy)
{
    std::vector<std::uint8_t> bytes(matrix.bytes);
    if (!bulk_.read(whole(places_.experts + matrix.offset, matrix.bytes), bytes.data()) ||
        !bulk_.write(whole(copy, matrix.bytes), bytes.data()))
        throw std::logic_error(std::string(name()) +
                               ": no memory holds an expert's matrix or its copy");
}

/// Reads the pattern. A matrix that has a copy is read from the copy.
bool ExpertCache::read(const AccessPattern& pattern, const AccessPattern::Extent& extent,
                       std::uint8_t* packed)
{
    if (const ExpertMatrices* const experts = layout_.find(extent.first, extent.last)) {
        const Matrix matrix = layout_.matrix(*experts, extent.first);
        const auto slot = directory_.slot_of(matrix);
        if (slot && extent.last < matrix.offset + matrix.bytes)
            return bulk_.read(moved(pattern, copy_of(matrix, *slot) - matrix.offset), packed);
    }
    return bulk_.read(moved(pattern, places_.experts), packed);
}

std::uint64_t ExpertCache::copy_of(const Matrix& matrix, std::uint64_t slot) const
{
    return places_.copies + slot * layout_.slot_bytes() + matrix.in_slot;
}

unsigned ExpertCache::transport_debug(tlm::tlm_generic_payload& payload)
{
    const std::uint64_t address = payload.get_address();
    payload.set_address(places_.experts + address);
    const unsigned moved = payload.is_read() ? memory->transport_dbg(payload) : 0;
    payload.set_address(address);
    return moved;
}

void ExpertCache::report(Stats& stats) const
{
    stats.add("hits", hits_);
    stats.add("misses", misses_);
    if (lookups() != 0)
        stats.add("hit_rate", static_cast<double>(hits_) / static_cast<double>(lookups()),
                  FigureKind::Level);
    stats.add("filled_bytes", filled_bytes_);
    stats.add("evictions", directory_.evictions());
    stats.add("experts", directory_.slots(), FigureKind::Level);
    stats.add("read_bytes", read_bytes_);
}

} // namespace levee::expert_cache
