// SPDX-License-Identifier: Apache-2.0
#include "core/flow/storage_module.hpp"

#include "core/flow/flow_engine.hpp"
#include "core/flow/plain_access.hpp"

namespace levee {

StorageModule::StorageModule(const sc_core::sc_module_name& name, std::uint64_t bytes,
                             const Rights& rights)
    : sc_module(name), port("port"), rights_(rights), storage_(bytes)
{
    port.register_b_transport(this, &StorageModule::transport);
    port.register_get_direct_mem_ptr(this, &StorageModule::get_direct_mem_ptr);
    port.register_transport_dbg(this, &StorageModule::transport_debug);
}

void StorageModule::load(std::uint64_t offset, std::span<const std::uint8_t> bytes)
{
    storage_.load(offset, bytes, name());
}

void StorageModule::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (auto* bulk = payload.get_extension<BulkExtension>()) {
        transport_bulk(payload, *bulk);
        return;
    }
    if (rights_.read_only && payload.is_write()) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    if (!access_storage(storage_, payload) || payload.get_command() == tlm::TLM_IGNORE_COMMAND)
        return;
    const Direction direction = payload.is_read() ? Direction::Read : Direction::Write;
    delay += sc_core::sc_time::from_value(accessed(
        direction, payload.get_address(), payload.get_data_length(), now_ps() + delay.value()));
}

void StorageModule::transport_bulk(tlm::tlm_generic_payload& payload, BulkExtension& access)
{
    const auto extent = access.pattern.extent();
    if (!extent || extent->last >= storage_.size()) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (rights_.read_only && access.direction == Direction::Write) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    if (access.phase == BulkExtension::Phase::Open)
        open(access, extent->last);
    else if (payload.is_read())
        storage_.read(access.pattern, payload.get_data_ptr());
    else if (payload.is_write())
        storage_.write(access.pattern, payload.get_data_ptr());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

void StorageModule::open(BulkExtension& access, std::uint64_t last)
{
    access.pass_through(resource(), begun(access, last));
    if (!rights_.read_only)
        access.region = {0, storage_.size() - 1, false, storage_.data()};
}

bool StorageModule::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi)
{
    dmi.set_start_address(0);
    dmi.set_end_address(storage_.size() - 1);
    if (!rights_.dmi)
        return false;
    dmi.set_dmi_ptr(storage_.data());
    dmi.set_granted_access(rights_.read_only ? tlm::tlm_dmi::DMI_ACCESS_READ
                                             : tlm::tlm_dmi::DMI_ACCESS_READ_WRITE);
    dmi.set_read_latency(sc_core::sc_time::from_value(rights_.dmi_latency));
    dmi.set_write_latency(sc_core::sc_time::from_value(rights_.dmi_latency));
    return true;
}

unsigned StorageModule::transport_debug(tlm::tlm_generic_payload& payload)
{
    return debug_access_storage(storage_, payload);
}

} // namespace levee
