// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/module.hpp"

#include "core/flow/flow_engine.hpp"
#include "core/flow/plain_access.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace levee::edram {

namespace {

std::unique_ptr<RefreshController> make_controller(const Config& config)
{
    const Geometry& geometry = config.array.geometry;
    if (const std::string fault = geometry.fault(); !fault.empty())
        throw std::invalid_argument("eDRAM: " + fault);
    if (config.make_refresh)
        return config.make_refresh("refresh", geometry, config.array.refresh);
    return std::make_unique<RefreshController>("refresh", geometry, config.array.refresh);
}

const char* name_of_group(const Geometry& geometry, unsigned side)
{
    return geometry.sides() == 1 ? "banks" : side == 0 ? "keys" : "values";
}

} // namespace

Edram::Edram(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), port("port"), registers("registers"), config_(config), name_(this->name()),
      size_bytes_(config.array.geometry.size_bytes),
      time_scale_(config.array.retention ? config.array.retention->time_scale : 1),
      latest_(never / 4 / time_scale_), storage_(mapped_bytes(config.array.geometry)),
      refresh_(make_controller(config)),
      array_(config.array, CellSeed{config.seed, stream_of(name_)}, storage_.data(),
             refresh_->refresh())
{
    if (config.access == 0)
        throw std::invalid_argument(name_ + ": the access time is 0; expected at least 1 ps");
    const Geometry& geometry = config_.array.geometry;
    for (unsigned side = 0; side < geometry.sides(); ++side)
        groups_.emplace_back(name_of_group(geometry, side), geometry, side, config.access, name_)
            .refresh.bind(refresh_->control);
    port.register_b_transport(this, &Edram::transport);
    port.register_transport_dbg(this, &Edram::transport_debug);
    registers.register_b_transport(this, &Edram::transport_registers);
    registers.register_transport_dbg(this, &Edram::transport_registers_debug);
    describe_registers();
}

void Edram::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    if (offset > size_bytes_ || bytes.size() > size_bytes_ - offset)
        throw std::out_of_range(name_ + ": " + std::to_string(bytes.size()) + " bytes at offset " +
                                std::to_string(offset) + " exceed the memory's size in bytes, " +
                                std::to_string(size_bytes_));
    if (bytes.empty())
        return;
    array_.write(offset, bytes.size(), now());
    refresh_->changed();
    std::copy(bytes.begin(), bytes.end(), storage_.data() + offset);
}

Time Edram::now() const
{
    const Picoseconds now = now_ps();
    if (now > latest_)
        throw std::runtime_error(name_ + ": " + std::to_string(now) + " ps times a time_scale of " +
                                 std::to_string(time_scale_) +
                                 " exceeds the model's limit; expected a smaller time_scale");
    return now * time_scale_;
}

Edram::Part Edram::part_of(std::uint64_t first, std::uint64_t last) const
{
    if (last < size_bytes_)
        return Part::Data;
    return first >= size_bytes_ && last < storage_.size() ? Part::Scores : Part::None;
}

void Edram::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (auto* bulk = payload.get_extension<BulkExtension>()) {
        transport_bulk(payload, *bulk);
        return;
    }
    const std::uint64_t bytes = payload.get_data_length();
    const bool whole = payload.get_byte_enable_ptr() == nullptr &&
                       payload.get_streaming_width() >= bytes && bytes > 0;
    const std::uint64_t address = payload.get_address();
    const AccessPattern pattern{address, bytes, {1, 1, 1}, {0, 0, 0}, false};
    const Part part = whole && storage_.holds(address, bytes)
                          ? part_of(address, address + bytes - 1)
                          : Part::None;
    if (part == Part::None && storage_.holds(address, bytes) && whole) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (part == Part::None) {
        (void)access_storage(storage_, payload); // Reports the fault.
        return;
    }
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND)
        return payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (part == Part::Scores)
        move_scores(payload, pattern);
    else
        move_data(payload, pattern, payload.is_read());
    (payload.is_read() ? read_bytes_ : written_bytes_) += part == Part::Data ? bytes : 0;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += sc_core::sc_time::from_value(config_.latency);
}

void Edram::transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access)
{
    const auto extent = access.pattern.extent();
    const Part part = extent ? part_of(extent->first, extent->last) : Part::None;
    if (part == Part::None) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (access.phase == BulkExtension::Phase::Open) {
        if (part == Part::Data)
            open(access);
        access.latency += config_.latency;
        access.region.tracked = true;
        show(part, access.region);
    } else if (part == Part::Scores) {
        if (access.phase == BulkExtension::Phase::Data)
            move_scores(payload, access.pattern);
    } else if (access.phase == BulkExtension::Phase::Data) {
        move_data(payload, access.pattern, access.direction == Direction::Read);
    } else {
        const Time at = now();
        const AccessPattern runs = access.pattern.merged();
        runs.for_each_run(
            [&](std::uint64_t address) { array_.discard(address, runs.run_bytes, at); });
        refresh_->changed();
    }
}

/// Describes the region to initiators. Data and scores are separate regions, and no access spans
/// both. Scores are real in every run, so an access without bytes does not change them. If bits
/// never fail, reads of data have no side effect, either.
void Edram::show(Part part, BulkExtension::Region& region)
{
    const bool is_data = part == Part::Data;
    region.first = is_data ? 0 : size_bytes_;
    region.last = (is_data ? size_bytes_ : storage_.size()) - 1;
    region.tracked_first = region.first;
    region.tracker = this;
    region.ignores_reads = !is_data || !config_.array.retention;
}

void Edram::accessed(Direction direction, const AccessPattern& pattern)
{
    if (pattern.address < size_bytes_)
        touch(pattern, direction == Direction::Read);
}

void Edram::open(BulkExtension& access)
{
    (access.direction == Direction::Read ? read_bytes_ : written_bytes_) += access.bytes;
    if (access.uses == nullptr)
        return;
    const Geometry& geometry = config_.array.geometry;
    const std::uint64_t once = access.pattern.bytes();
    std::uint64_t rest = access.bytes;
    for (unsigned side = 0; side < groups_.size(); ++side) {
        const std::uint64_t here = bytes_on_side(geometry, access.pattern, side);
        if (here == 0)
            continue;
        // All remaining bytes are on this side, unless the pattern also covers the other side.
        const std::uint64_t bytes =
            side + 1 == groups_.size() || here == once
                ? rest
                : static_cast<std::uint64_t>(static_cast<double>(access.bytes) *
                                             static_cast<double>(here) / static_cast<double>(once));
        access.pass_in_part(groups_[side].banks(), bytes);
        rest -= bytes;
    }
}

void Edram::touch(const AccessPattern& pattern, bool read)
{
    const Time at = now();
    if (!read)
        refresh_->changed();
    if (!read && pattern.runs() == 1)
        return array_.write(pattern.address, pattern.run_bytes, at);
    const AccessPattern runs = pattern.merged();
    if (!read)
        runs.for_each_run(
            [&](std::uint64_t address) { array_.write(address, runs.run_bytes, at); });
    else if (config_.array.retention)
        runs.for_each_run([&](std::uint64_t address) { array_.read(address, runs.run_bytes, at); });
}

void Edram::move_data(tlm::tlm_generic_payload& payload, const AccessPattern& pattern, bool read)
{
    touch(pattern, read);
    if (payload.is_read())
        storage_.read(pattern, payload.get_data_ptr());
    else if (payload.is_write())
        storage_.write(pattern, payload.get_data_ptr());
}

void Edram::move_scores(tlm::tlm_generic_payload& payload, const AccessPattern& pattern)
{
    if (payload.is_read())
        storage_.read(pattern, payload.get_data_ptr());
    if (!payload.is_write())
        return;
    const std::uint8_t* values = payload.get_data_ptr();
    const Time at = now();
    pattern.for_each_run([&](std::uint64_t address) {
        array_.write_scores(address - size_bytes_, values, pattern.run_bytes, at);
        values += pattern.run_bytes;
    });
    refresh_->changed();
}

void Edram::flip_score(std::uint64_t bit)
{
    const auto value =
        static_cast<std::uint8_t>(storage_.data()[size_bytes_ + bit / 8] ^ 1U << bit % 8);
    array_.write_scores(bit / 8, &value, 1, now());
    refresh_->changed();
}

unsigned Edram::transport_debug(tlm::tlm_generic_payload& payload)
{
    return debug_access_storage(storage_, payload);
}

void Edram::transport_registers(tlm::tlm_generic_payload& payload, sc_core::sc_time&)
{
    register_file_.transport(payload);
}

unsigned Edram::transport_registers_debug(tlm::tlm_generic_payload& payload)
{
    return register_file_.transport_debug(payload);
}

void Edram::trace_signals(sc_core::sc_trace_file& file)
{
    signals_ = std::make_unique<Signals>();
    refresh_->load.bind(signals_->load);
    refresh_->valid_rows.bind(signals_->valid_rows);
    sc_core::sc_trace(&file, signals_->load, std::string(refresh_->name()) + ".load");
    sc_core::sc_trace(&file, signals_->valid_rows, std::string(refresh_->name()) + ".valid_rows");
    for (BankGroup& group : groups_) {
        sc_core::sc_signal<unsigned>& streams = signals_->streams.emplace_back();
        group.streams.bind(streams);
        sc_core::sc_trace(&file, streams, std::string(group.name()) + ".streams");
    }
}

void Edram::observe_lifetimes(LifetimeSink sink)
{
    array_.observe_lifetimes([this, report = std::move(sink)](Lifetime lifetime) {
        lifetime.written /= time_scale_;
        lifetime.discarded /= time_scale_;
        report(lifetime);
    });
}

namespace {

/// Returns the bits of one half of each element. For 4-bit elements, these are bits of both
/// elements in a byte.
StoredBits half_of(std::uint64_t offset, std::uint64_t bytes, Half half, unsigned element_bits)
{
    StoredBits stored{offset, bytes, std::max(element_bits, 8U)};
    for (unsigned first = 0; first < stored.element_bits; first += element_bits)
        for (unsigned bit = 0; bit < element_bits / 2; ++bit)
            stored.bits.push_back(first + bit + (half == Half::Msb ? element_bits / 2 : 0));
    return stored;
}

/// Ranges whose elements do not have the usual width, by offset.
using Narrow = std::map<std::uint64_t, std::pair<std::uint64_t, unsigned>>;

Narrow narrow_ranges(const Array& array, const Geometry& geometry)
{
    Narrow narrow;
    for (unsigned number = 0; number < LEVEE_EDRAM_REGIONS; ++number) {
        const Region& region = array.region(number);
        const std::uint64_t bytes = region.vectors * region.vector_bytes;
        if (bytes == 0 || region.element_bits == usual_element_bits)
            continue;
        const auto bits = static_cast<unsigned>(region.element_bits);
        narrow[region.offset] = {region.offset + bytes, bits};
        if (geometry.sides() > 1 && region.offset < geometry.side_bytes())
            narrow[region.offset + geometry.side_bytes()] = {
                region.offset + geometry.side_bytes() + bytes, bits};
    }
    return narrow;
}

} // namespace

std::vector<StoredBits> Edram::bits_of(Half half) const
{
    std::vector<StoredBits> stored;
    std::uint64_t at = 0;
    const auto add = [&](std::uint64_t end, unsigned element_bits) {
        if (at < end)
            stored.push_back(half_of(at, end - at, half, element_bits));
        at = std::max(at, end);
    };
    for (const auto& [begin, range] : narrow_ranges(array_, config_.array.geometry)) {
        add(begin, usual_element_bits);
        add(range.first, range.second);
    }
    add(size_bytes_, usual_element_bits);
    return stored;
}

} // namespace levee::edram
