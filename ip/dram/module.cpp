// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/module.hpp"

#include "ip/common/flow_engine.hpp"
#include "ip/common/plain_access.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace levee::dram {

namespace {

/// Shorter streams than this are not held to what prices by kind promise (README.md).
constexpr std::uint64_t least_by_kind = 64 * 1024;
/// Least share of the peak that makes them matter: 10 % of a quarter of the time.
constexpr double busy_share = 0.25;

} // namespace

Dram::Dram(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), port("port"), config_(config), timing_(this->name(), config.parameters),
      bursts_(config.parameters), stream_activity_(timing_),
      storage_(std::max(config.address_bytes, config.parameters.organisation.capacity_bytes))
{
    port.register_b_transport(this, &Dram::transport);
    port.register_get_direct_mem_ptr(this, &Dram::get_direct_mem_ptr);
    port.register_transport_dbg(this, &Dram::transport_debug);
}

void Dram::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    if (!storage_.holds(offset, bytes.size()))
        throw std::out_of_range(std::string(name()) + ": " + std::to_string(bytes.size()) +
                                " bytes at offset " + std::to_string(offset) + " do not fit in " +
                                std::to_string(storage_.size()));
    std::copy(bytes.begin(), bytes.end(), storage_.data() + offset);
    if (!bytes.empty())
        use(offset + bytes.size() - 1);
}

void Dram::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (auto* bulk = payload.get_extension<BulkExtension>()) {
        transport_bulk(payload, *bulk);
        return;
    }
    if (!access_storage(storage_, payload))
        return;
    use(payload.get_address() + payload.get_data_length() - 1);
    const Direction direction = payload.is_read() ? Direction::Read : Direction::Write;
    (payload.is_read() ? read_bytes_ : written_bytes_) += payload.get_data_length();
    ++activates_; // streams have moved to other rows since the core's last access
    delay += sc_core::sc_time::from_value(timing_.core_latency(
        direction, payload.get_address(), payload.get_data_length(), now_ps() + delay.value()));
}

void Dram::transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access)
{
    const auto extent = access.pattern.extent();
    if (!extent || extent->last >= storage_.size()) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (access.phase == BulkExtension::Phase::Open) {
        use(extent->last);
        (access.direction == Direction::Read ? read_bytes_ : written_bytes_) += access.bytes;
        stream_bytes_ += access.bytes;
        short_stream_bytes_ += access.bytes < least_by_kind ? access.bytes : 0;
        activates_ += timing_.activates(access.pattern, access.bytes);
        access.pass_through(timing_, timing_.unloaded_latency(access.direction));
        access.region = {0, storage_.size() - 1, false, storage_.data()};
    } else if (payload.is_read()) {
        storage_.read(access.pattern, payload.get_data_ptr());
    } else if (payload.is_write()) {
        storage_.write(access.pattern, payload.get_data_ptr());
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

bool Dram::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.set_start_address(0);
    dmi.set_end_address(storage_.size() - 1);
    if (!config_.allow_dmi)
        return false;
    dmi.set_dmi_ptr(storage_.data());
    dmi.set_granted_access(tlm::tlm_dmi::DMI_ACCESS_READ_WRITE);
    return true;
}

unsigned Dram::transport_debug(tlm::tlm_generic_payload& payload)
{
    return debug_access_storage(storage_, payload);
}

void Dram::report(Stats& stats) const
{
    stats.add("read_bytes", read_bytes_);
    stats.add("write_bytes", written_bytes_);
    stats.add("activates", activates_);
    const std::uint64_t capacity = config_.parameters.organisation.capacity_bytes;
    if (storage_.size() > capacity)
        stats.add("overcommitted_bytes", used_bytes_ - std::min(used_bytes_, capacity),
                  FigureKind::Level);
    stats.add("refreshes", refreshes(), FigureKind::Time);
}

/// Most of what it moves is priced by kind and too short for that, and it is a good deal of the
/// time that it moves it.
bool Dram::short_streams_weigh() const
{
    const double least_ps =
        static_cast<double>(stream_bytes_) * 1e12 / config_.parameters.peak_bytes_per_s();
    return !timing_.schedules() && 2 * short_stream_bytes_ > stream_bytes_ &&
           least_ps > busy_share * static_cast<double>(now_ps());
}

std::string Dram::caveat() const
{
    if (!short_streams_weigh())
        return {};
    const double percent = 100.0 * static_cast<double>(short_stream_bytes_);
    return std::to_string(std::lround(percent / static_cast<double>(stream_bytes_))) +
           " % of what its streams move is in such under 64 KiB. Priced by kind of mix, most of "
           "these end over 10 % too early or too late; how far off the run is, one with "
           "controller.prices: by_schedule tells";
}

std::uint64_t Dram::rows_opened() const
{
    return timing_.core_rows() + stream_activity_.rows(now_ps());
}

std::uint64_t Dram::refreshes() const
{
    return timing_.refreshes(now_ps()) * config_.parameters.organisation.channels;
}

} // namespace levee::dram
