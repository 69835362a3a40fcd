// SPDX-License-Identifier: Apache-2.0
// Memories written from IEEE 1666 alone, without any header of Levee.
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace foreign {

/// The common part of the memories of both styles: the stored bytes, and a record of the received
/// transactions.
struct Cells {
    std::vector<unsigned char> bytes;
    unsigned most_bytes; ///< size of the largest transaction that the memory accepts
    std::vector<unsigned> lengths{};
    bool refuses_writes = false;

    void access(tlm::tlm_generic_payload& payload)
    {
        const std::uint64_t address = payload.get_address();
        const unsigned length = payload.get_data_length();
        lengths.push_back(length);
        if (address >= bytes.size() || length > bytes.size() - address)
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        else if (length > most_bytes || payload.get_streaming_width() < length)
            payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        else if (payload.get_byte_enable_ptr() != nullptr)
            payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        else if (refuses_writes && payload.is_write())
            payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        else
            move(payload, length);
    }
    unsigned debug(tlm::tlm_generic_payload& payload)
    {
        if (payload.get_address() >= bytes.size())
            return 0;
        const auto inside = std::min<std::uint64_t>(payload.get_data_length(),
                                                    bytes.size() - payload.get_address());
        move(payload, static_cast<unsigned>(inside));
        return static_cast<unsigned>(inside);
    }

private:
    void move(tlm::tlm_generic_payload& payload, unsigned length)
    {
        unsigned char* const at = bytes.data() + payload.get_address();
        if (payload.is_read())
            std::memcpy(payload.get_data_ptr(), at, length);
        else if (payload.is_write())
            std::memcpy(at, payload.get_data_ptr(), length);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

/// A memory of the loosely timed style with all interfaces, which answers at once with a delay.
template <unsigned BusWidth = 32>
class LtMemory : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
public:
    tlm::tlm_target_socket<BusWidth> socket;
    Cells cells;

    LtMemory(const sc_core::sc_module_name& name, std::size_t bytes, unsigned most_bytes,
             const sc_core::sc_time& latency)
        : sc_module(name), socket("socket"), cells{std::vector<unsigned char>(bytes), most_bytes},
          latency_(latency)
    {
        socket.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
    }

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override
    {
        cells.access(payload);
        delay += latency_;
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&,
                                       sc_core::sc_time& delay) override
    {
        b_transport(payload, delay);
        return tlm::TLM_COMPLETED;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override
    {
        dmi.set_dmi_ptr(cells.bytes.data());
        dmi.set_start_address(0);
        dmi.set_end_address(cells.bytes.size() - 1);
        dmi.allow_read_write();
        return true;
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) override
    {
        return cells.debug(payload);
    }

    sc_core::sc_time latency_;
};

/// A memory of the approximately timed style with nb_transport alone. It accepts a request after
/// `accept` and responds `latency` later, one transaction at a time.
class AtMemory : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<AtMemory> socket;
    Cells cells;

    AtMemory(const sc_core::sc_module_name& name, std::size_t bytes, unsigned most_bytes,
             const sc_core::sc_time& accept, const sc_core::sc_time& latency)
        : sc_module(name), socket("socket"), cells{std::vector<unsigned char>(bytes), most_bytes},
          accept_(accept), latency_(latency), phases_(this, &AtMemory::reached)
    {
        socket.register_nb_transport_fw(this, &AtMemory::nb_transport_fw);
        socket.register_transport_dbg(this, &AtMemory::transport_dbg);
    }

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay)
    {
        if (phase == tlm::BEGIN_REQ) {
            payload.acquire();
            phases_.notify(payload, phase, delay + accept_);
            return tlm::TLM_ACCEPTED;
        }
        payload.release(); // The phase is END_RESP.
        return tlm::TLM_COMPLETED;
    }
    void reached(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& reached)
    {
        tlm::tlm_phase phase = reached == tlm::BEGIN_REQ ? tlm::END_REQ : tlm::BEGIN_RESP;
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (phase == tlm::BEGIN_RESP)
            cells.access(payload);
        const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
        if (reached == tlm::BEGIN_REQ)
            phases_.notify(payload, tlm::END_REQ, latency_);
        else if (answer == tlm::TLM_COMPLETED)
            payload.release();
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return cells.debug(payload); }

    sc_core::sc_time accept_, latency_;
    tlm_utils::peq_with_cb_and_phase<AtMemory> phases_;
};

} // namespace foreign
