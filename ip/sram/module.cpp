// SPDX-License-Identifier: Apache-2.0
#include "ip/sram/module.hpp"

#include "ip/common/plain_access.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace levee::sram {

Sram::Sram(const sc_core::sc_module_name& name, const Config& config)
    : sc_module(name), FlowResource({FlowAccount::Kind::Storage, this->name()}), port("port"),
      config_(config), storage_(config.size_bytes)
{
    port.register_b_transport(this, &Sram::transport);
    port.register_get_direct_mem_ptr(this, &Sram::get_direct_mem_ptr);
    port.register_transport_dbg(this, &Sram::transport_debug);
}

void Sram::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    if (!storage_.holds(offset, bytes.size()))
        throw std::out_of_range(flow_name() + ": " + std::to_string(bytes.size()) +
                                " bytes at offset " + std::to_string(offset) + " do not fit in " +
                                std::to_string(storage_.size()));
    std::copy(bytes.begin(), bytes.end(), storage_.data() + offset);
}

void Sram::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (auto* bulk = payload.get_extension<BulkExtension>()) {
        transport_bulk(payload, *bulk);
        return;
    }
    if (config_.read_only && payload.is_write()) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    if (!access_storage(storage_, payload))
        return;
    (payload.is_read() ? read_bytes_ : written_bytes_) += payload.get_data_length();
    delay += sc_core::sc_time::from_value(config_.latency);
}

void Sram::transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access)
{
    const bool is_read = access.direction == Direction::Read;
    if (!storage_.holds(access.pattern)) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (config_.read_only && !is_read) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    if (access.phase == BulkExtension::Phase::Open) {
        (is_read ? read_bytes_ : written_bytes_) += access.bytes;
        access.pass_through(*this, config_.latency);
        if (!config_.read_only)
            access.region = {0, config_.size_bytes - 1, false, storage_.data()};
    } else if (payload.is_read()) {
        storage_.read(access.pattern, payload.get_data_ptr());
    } else if (payload.is_write()) {
        storage_.write(access.pattern, payload.get_data_ptr());
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

bool Sram::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.set_start_address(0);
    dmi.set_end_address(config_.size_bytes - 1);
    if (!config_.allow_dmi)
        return false;
    dmi.set_dmi_ptr(storage_.data());
    dmi.set_granted_access(config_.read_only ? tlm::tlm_dmi::DMI_ACCESS_READ
                                             : tlm::tlm_dmi::DMI_ACCESS_READ_WRITE);
    dmi.set_read_latency(sc_core::sc_time::from_value(config_.latency));
    dmi.set_write_latency(sc_core::sc_time::from_value(config_.latency));
    return true;
}

unsigned Sram::transport_debug(tlm::tlm_generic_payload& payload)
{
    return debug_access_storage(storage_, payload);
}

void Sram::price(std::span<const FlowUse* const> mix, std::span<const double>,
                 std::span<double> ps_per_byte)
{
    std::fill_n(ps_per_byte.begin(), mix.size(),
                1e12 / static_cast<double>(config_.bytes_per_second));
}

void Sram::report(Stats& stats) const
{
    stats.add("read_bytes", read_bytes_);
    stats.add("write_bytes", written_bytes_);
}

} // namespace levee::sram
