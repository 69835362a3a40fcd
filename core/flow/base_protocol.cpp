// SPDX-License-Identifier: Apache-2.0
#include "core/flow/base_protocol.hpp"

#include "core/flow/flow_engine.hpp"
#include "core/memory/storage.hpp"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace levee {

namespace {

using tlm::tlm_generic_payload;

void pass(const sc_core::sc_time& time)
{
    pass_time(time.value());
}

} // namespace

BaseInitiatorBorder::BaseInitiatorBorder(const sc_core::sc_module_name& name)
    : sc_module(name), bus("bus"), requests_("requests"), responses_("responses")
{
    bus.register_invalidate_direct_mem_ptr(this, &BaseInitiatorBorder::invalidate);
    SC_THREAD(serve);
    SC_THREAD(respond);
}

void BaseInitiatorBorder::b_transport(tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    bus->b_transport(payload, delay);
}

tlm::tlm_sync_enum BaseInitiatorBorder::nb_transport_fw(tlm_generic_payload& payload,
                                                        tlm::tlm_phase& phase,
                                                        sc_core::sc_time& delay)
{
    if (phase == tlm::BEGIN_REQ) {
        if (!payload.has_mm())
            throw std::runtime_error(std::string(name()) +
                                     ": a transaction by nb_transport has no memory manager; "
                                     "IEEE 1666 (14.5) requires one");
        payload.acquire();
        requests_.notify(payload, delay);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }
    if (phase == tlm::END_RESP) {
        response_ends_at_ = sc_core::sc_time_stamp() + delay;
        response_ended_.notify(sc_core::SC_ZERO_TIME);
        return tlm::TLM_COMPLETED;
    }
    return tlm::TLM_ACCEPTED; // TLM permits targets to ignore an unknown phase.
}

/// Executes requests in order. If the target only annotates a delay, it can take the next request
/// at once, as with b_transport. If the target waits, later requests are delayed.
void BaseInitiatorBorder::serve()
{
    for (;;) {
        while (tlm_generic_payload* const payload = requests_.get_next_transaction()) {
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            bus->b_transport(*payload, delay);
            responses_.notify(*payload, delay);
        }
        sc_core::wait(requests_.get_event());
    }
}

void BaseInitiatorBorder::respond()
{
    for (;;) {
        while (tlm_generic_payload* const payload = responses_.get_next_transaction()) {
            send_response(*payload);
            payload->release();
        }
        sc_core::wait(responses_.get_event());
    }
}

/// Sends a response, then waits until the next response may be sent.
void BaseInitiatorBorder::send_response(tlm_generic_payload& payload)
{
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    response_ends_at_.reset();
    const tlm::tlm_sync_enum answer = initiator().nb_transport_bw(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP))
        return pass(delay);
    while (!response_ends_at_)
        sc_core::wait(response_ended_);
    if (*response_ends_at_ > sc_core::sc_time_stamp())
        pass(*response_ends_at_ - sc_core::sc_time_stamp());
}

bool BaseInitiatorBorder::get_direct_mem_ptr(tlm_generic_payload& payload, tlm::tlm_dmi& dmi)
{
    return bus->get_direct_mem_ptr(payload, dmi);
}

unsigned BaseInitiatorBorder::transport_dbg(tlm_generic_payload& payload)
{
    return bus->transport_dbg(payload);
}

void BaseInitiatorBorder::invalidate(sc_dt::uint64 first, sc_dt::uint64 last)
{
    initiator().invalidate_direct_mem_ptr(first, last);
}

BaseTargetBorder::BaseTargetBorder(const sc_core::sc_module_name& name,
                                   const BaseTargetConfig& config)
    : sc_module(name), FlowResource({FlowAccount::Kind::Storage,
                                     config.component.empty() ? this->name() : config.component}),
      port("port"), config_(config)
{
    if (config.bytes == 0 || config.burst_bytes == 0)
        throw std::invalid_argument(std::string(this->name()) + ": the target has " +
                                    std::to_string(config.bytes) + " bytes and bursts of " +
                                    std::to_string(config.burst_bytes) +
                                    " bytes; expected both to be above 0");
    port.register_b_transport(this, &BaseTargetBorder::transport);
    port.register_transport_dbg(this, &BaseTargetBorder::transport_debug);
    SC_THREAD(write_posted);
}

/// Required by the interface. Never called for a request of this adapter, which does not use
/// nb_transport.
tlm::tlm_sync_enum BaseTargetBorder::nb_transport_bw(tlm_generic_payload&, tlm::tlm_phase&,
                                                     sc_core::sc_time&)
{
    throw std::runtime_error(
        std::string(name()) +
        ": the target called nb_transport_bw, but this module uses only b_transport");
}

/// Sets the price of streams. A transaction takes its time once, when it is made. This price covers
/// further passes over the data, such as repeated reads, and is never 0.
void BaseTargetBorder::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                             std::span<double> ps_per_byte)
{
    constexpr double least = 1e-6;
    for (std::size_t i = 0; i < mix.size(); ++i) {
        const double all = static_cast<double>(mix[i]->bytes);
        const double once = static_cast<double>(mix[i]->pattern.bytes());
        const bool timing_only = config_.data == DataMode::TimingOnly;
        const double share = timing_only || all == 0 ? 1.0 : std::max(0.0, 1.0 - once / all);
        ps_per_byte[i] = std::max(least, share * ps_per_byte_);
    }
}

void BaseTargetBorder::transport(tlm_generic_payload& payload, sc_core::sc_time& delay)
{
    if (auto* const bulk = payload.get_extension<BulkExtension>())
        return payload.set_response_status(transport_bulk(payload, *bulk));
    await();
    target().b_transport(payload, delay);
    if (payload.is_response_ok() && payload.get_command() != tlm::TLM_IGNORE_COMMAND)
        (payload.is_read() ? read_bytes_ : written_bytes_) += payload.get_data_length();
}

void BaseTargetBorder::report(Stats& stats) const
{
    stats.add("read_bytes", read_bytes_);
    stats.add("write_bytes", written_bytes_);
}

std::string BaseTargetBorder::caveat() const
{
    if (taken_ == 0)
        return {};
    return "transactions with this TLM-2.0 base protocol module took " +
           std::to_string(taken_ / 1'000) +
           " ns; 'bounds' has no entry for this time: it counts reads as wait_core, and writes as "
           "the cause that limits the writing operation";
}

tlm::tlm_response_status BaseTargetBorder::transport_bulk(const tlm_generic_payload& payload,
                                                          BulkExtension& access)
{
    using Phase = BulkExtension::Phase;
    const auto extent = access.pattern.extent();
    if (!extent || extent->last >= config_.bytes)
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    if (access.phase == Phase::Discard)
        return tlm::TLM_OK_RESPONSE;
    if (config_.read_only && access.direction == Direction::Write)
        return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (access.phase == Phase::Open)
        return open(access);
    if (payload.is_read())
        return read(access.pattern, payload.get_data_ptr());
    if (payload.is_write()) {
        const std::uint8_t* const packed = payload.get_data_ptr();
        posted_.push_back({access.pattern, {packed, packed + access.pattern.bytes()}});
        posting_.notify(sc_core::SC_ZERO_TIME);
        access.posted = this;
    }
    return tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status BaseTargetBorder::open(BulkExtension& access)
{
    access.region = {0, config_.bytes - 1, false, nullptr};
    if (access.uses == nullptr)
        return tlm::TLM_OK_RESPONSE;
    access.pass_through(*this, 0);
    (access.direction == Direction::Read ? read_bytes_ : written_bytes_) += access.bytes;
    if (config_.data != DataMode::TimingOnly)
        return tlm::TLM_OK_RESPONSE;
    AccessPattern sample;
    sample.address = access.pattern.address / config_.burst_bytes * config_.burst_bytes;
    sample.run_bytes = std::min<std::uint64_t>(config_.burst_bytes, config_.bytes - sample.address);
    std::vector<std::uint8_t> bytes(sample.run_bytes);
    return read(sample, bytes.data());
}

tlm::tlm_response_status BaseTargetBorder::read(const AccessPattern& pattern, std::uint8_t* packed)
{
    await();
    return move(tlm::TLM_READ_COMMAND, pattern, packed);
}

/// Moves all bytes of a pattern by consecutive transactions.
tlm::tlm_response_status BaseTargetBorder::move(tlm::tlm_command command,
                                                const AccessPattern& pattern, std::uint8_t* packed)
{
    require_thread();
    const Picoseconds begun = now_ps();
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
    pattern.for_each_run([&](std::uint64_t address) {
        for (std::uint64_t left = pattern.run_bytes; left > 0;) {
            const std::uint64_t in_burst = config_.burst_bytes - address % config_.burst_bytes;
            const auto bytes = static_cast<unsigned>(std::min(left, in_burst));
            if (status == tlm::TLM_OK_RESPONSE)
                status = access(command, address, packed, bytes, delay);
            address += bytes;
            packed += bytes;
            left -= bytes;
        }
    });
    pass(delay);
    ps_per_byte_ = static_cast<double>(now_ps() - begun) / static_cast<double>(pattern.bytes());
    ++measured_;
    taken_ += now_ps() - begun;
    return status;
}

tlm::tlm_response_status BaseTargetBorder::access(tlm::tlm_command command, std::uint64_t address,
                                                  std::uint8_t* data, unsigned bytes,
                                                  sc_core::sc_time& delay)
{
    tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    target().b_transport(payload, delay);
    return payload.get_response_status();
}

/// Executes writes in order of arrival. Blocks have already checked the addresses, so a refused
/// write is an error of the target and ends the run.
void BaseTargetBorder::write_posted()
{
    for (;;) {
        while (!posted_.empty()) {
            Posted& next = posted_.front();
            const auto status = move(tlm::TLM_WRITE_COMMAND, next.pattern, next.bytes.data());
            if (status != tlm::TLM_OK_RESPONSE) {
                tlm_generic_payload refused;
                refused.set_response_status(status);
                std::ostringstream message;
                message << name() << ": the target answered " << refused.get_response_string()
                        << " to a write of " << next.bytes.size() << " bytes at 0x" << std::hex
                        << next.pattern.address << " in bursts of at most 0x" << config_.burst_bytes
                        << " bytes";
                throw std::runtime_error(message.str());
            }
            posted_.pop_front();
        }
        all_written_.notify(sc_core::SC_ZERO_TIME);
        sc_core::wait(posting_);
    }
}

void BaseTargetBorder::await()
{
    if (posted_.empty())
        return;
    require_thread();
    while (!posted_.empty())
        sc_core::wait(all_written_);
}

void BaseTargetBorder::require_thread() const
{
    const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
    if (process.valid() && process.proc_kind() == sc_core::SC_METHOD_PROC_)
        throw std::runtime_error(std::string(name()) +
                                 ": an operation reads from a base protocol target between its "
                                 "parts, where it cannot wait; set signal_every to 0");
}

/// Debug reads see pending writes as if they had been executed.
unsigned BaseTargetBorder::transport_debug(tlm_generic_payload& payload)
{
    const unsigned moved = target().transport_dbg(payload);
    if (!payload.is_read())
        return moved;
    const std::uint64_t first = payload.get_address(), end = first + moved;
    for (const Posted& each : posted_) {
        const std::uint8_t* from = each.bytes.data();
        each.pattern.for_each_run([&](std::uint64_t address) {
            for (std::uint64_t i = 0; i < each.pattern.run_bytes; ++i, ++from)
                if (address + i >= first && address + i < end)
                    payload.get_data_ptr()[address + i - first] = *from;
        });
    }
    return moved;
}

} // namespace levee
