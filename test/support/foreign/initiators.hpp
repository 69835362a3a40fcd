// SPDX-License-Identifier: Apache-2.0
// Initiators written from IEEE 1666 alone, without any header of Levee.
#pragma once

#include <systemc>
#include <tlm>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace foreign {

/// An initiator of the loosely timed style, with b_transport and related calls.
template <unsigned BusWidth = 32>
class LtInitiator : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
public:
    SC_HAS_PROCESS(LtInitiator);
    tlm::tlm_initiator_socket<BusWidth> socket;
    std::function<void(LtInitiator&)> program;
    bool finished = false;
    sc_core::sc_time last_delay;

    explicit LtInitiator(const sc_core::sc_module_name& name) : sc_module(name), socket("socket")
    {
        socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
        SC_THREAD(run);
    }

    tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, void* data,
                                    unsigned bytes)
    {
        tlm::tlm_generic_payload payload;
        fill(payload, command, address, data, bytes);
        last_delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(payload, last_delay);
        sc_core::wait(last_delay);
        return payload.get_response_status();
    }
    unsigned debug(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes)
    {
        tlm::tlm_generic_payload payload;
        fill(payload, command, address, data, bytes);
        return socket->transport_dbg(payload);
    }
    bool direct(std::uint64_t address, tlm::tlm_dmi& dmi)
    {
        std::uint32_t word = 0;
        tlm::tlm_generic_payload payload;
        fill(payload, tlm::TLM_READ_COMMAND, address, &word, sizeof word);
        return socket->get_direct_mem_ptr(payload, dmi);
    }

private:
    static void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                     std::uint64_t address, void* data, unsigned bytes)
    {
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(static_cast<unsigned char*>(data));
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
    }
    void run()
    {
        program(*this);
        finished = true;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override
    {
        return tlm::TLM_COMPLETED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

/// A word access of the approximately timed style, and the times of its phases.
struct AtAccess {
    tlm::tlm_command command;
    std::uint64_t address;
    std::uint32_t word;
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
    sc_core::sc_time requested{}, accepted{}, responded{};
};

/// An initiator of the approximately timed style, with four phases by nb_transport. It sends a
/// request as soon as the previous one is accepted, and holds each response for `response_accept`.
class AtInitiator : public sc_core::sc_module,
                    private tlm::tlm_bw_transport_if<>,
                    private tlm::tlm_mm_interface {
public:
    SC_HAS_PROCESS(AtInitiator);
    tlm::tlm_initiator_socket<> socket;
    std::deque<AtAccess> accesses;      ///< Accesses to make, in this order.
    std::vector<std::size_t> responses; ///< Access indices in the order of responses.
    sc_core::sc_time response_accept;
    unsigned freed = 0, faults = 0;

    explicit AtInitiator(const sc_core::sc_module_name& name) : sc_module(name), socket("socket")
    {
        socket.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
        SC_THREAD(request);
        SC_THREAD(end_responses);
    }

private:
    void request()
    {
        for (AtAccess& access : accesses) {
            auto* const payload = new tlm::tlm_generic_payload(this);
            payload->acquire();
            payload->set_command(access.command);
            payload->set_address(access.address);
            payload->set_data_ptr(reinterpret_cast<unsigned char*>(&access.word));
            payload->set_data_length(sizeof access.word);
            payload->set_streaming_width(sizeof access.word);
            open_.push_back({payload, &access});
            access.requested = sc_core::sc_time_stamp();
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            requesting_ = payload;
            const tlm::tlm_sync_enum answer = socket->nb_transport_fw(*payload, phase, delay);
            if (answer == tlm::TLM_ACCEPTED) {
                while (requesting_ != nullptr)
                    sc_core::wait(accepted_);
            } else {
                sc_core::wait(delay);
                requesting_ = nullptr;
                access.accepted = sc_core::sc_time_stamp();
                if (answer == tlm::TLM_COMPLETED)
                    complete(*payload);
                else if (phase != tlm::END_REQ)
                    ++faults;
            }
        }
    }

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override
    {
        if (requesting_ == &payload) { // This is END_REQ, or a response that implies it.
            requesting_ = nullptr;
            find(payload).access->accepted = sc_core::sc_time_stamp() + delay;
            accepted_.notify(delay);
        }
        if (phase == tlm::END_REQ)
            return tlm::TLM_ACCEPTED;
        if (phase != tlm::BEGIN_RESP || responding_ != nullptr) { // An initiator may have only one
                                                                  // response at a time.
            ++faults;
            return tlm::TLM_COMPLETED;
        }
        responding_ = &payload;
        response_.notify(delay);
        return tlm::TLM_ACCEPTED;
    }

    void end_responses()
    {
        for (;;) {
            sc_core::wait(response_);
            tlm::tlm_generic_payload& payload = *responding_;
            find(payload).access->responded = sc_core::sc_time_stamp();
            sc_core::wait(response_accept);
            responding_ = nullptr;
            tlm::tlm_phase phase = tlm::END_RESP;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            complete(payload);
            if (socket->nb_transport_fw(payload, phase, delay) != tlm::TLM_COMPLETED)
                ++faults;
            payload.release();
        }
    }

    struct Open {
        tlm::tlm_generic_payload* payload;
        AtAccess* access;
    };
    Open& find(const tlm::tlm_generic_payload& payload)
    {
        std::size_t i = 0;
        while (open_[i].payload != &payload)
            ++i;
        return open_[i];
    }
    void complete(tlm::tlm_generic_payload& payload)
    {
        AtAccess& access = *find(payload).access;
        access.status = payload.get_response_status();
        for (std::size_t i = 0; i < accesses.size(); ++i)
            if (&accesses[i] == &access)
                responses.push_back(i);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
    void free(tlm::tlm_generic_payload* payload) override
    {
        payload->reset();
        ++freed;
        for (std::size_t i = 0; i < open_.size(); ++i)
            if (open_[i].payload == payload) {
                open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
                break;
            }
        delete payload;
    }

    std::vector<Open> open_;
    tlm::tlm_generic_payload* requesting_ = nullptr;
    tlm::tlm_generic_payload* responding_ = nullptr;
    sc_core::sc_event accepted_, response_;
};

} // namespace foreign
