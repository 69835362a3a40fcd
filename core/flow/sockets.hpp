// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/protocol.hpp"

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace levee {

/// Like tlm_utils::simple_target_socket, but one type for all modules, so that its thirty or so
/// virtual functions are compiled only once.
class TargetSocket
    : public tlm_utils::simple_target_socket<sc_core::sc_module, bus_width, BulkProtocol> {
public:
    explicit TargetSocket(const char* name);
    ~TargetSocket() override;

    template <typename Module>
    void register_b_transport(Module* module,
                              void (Module::*call)(tlm::tlm_generic_payload&, sc_core::sc_time&))
    {
        using Call = void (sc_core::sc_module::*)(tlm::tlm_generic_payload&, sc_core::sc_time&);
        call_b_transport(module, static_cast<Call>(call));
    }

    template <typename Module>
    void register_transport_dbg(Module* module, unsigned (Module::*call)(tlm::tlm_generic_payload&))
    {
        using Call = unsigned (sc_core::sc_module::*)(tlm::tlm_generic_payload&);
        call_transport_dbg(module, static_cast<Call>(call));
    }

    template <typename Module>
    void register_get_direct_mem_ptr(Module* module,
                                     bool (Module::*call)(tlm::tlm_generic_payload&, tlm::tlm_dmi&))
    {
        using Call = bool (sc_core::sc_module::*)(tlm::tlm_generic_payload&, tlm::tlm_dmi&);
        call_get_direct_mem_ptr(module, static_cast<Call>(call));
    }

private:
    void call_b_transport(sc_core::sc_module* module,
                          void (sc_core::sc_module::*call)(tlm::tlm_generic_payload&,
                                                           sc_core::sc_time&));
    void call_transport_dbg(sc_core::sc_module* module,
                            unsigned (sc_core::sc_module::*call)(tlm::tlm_generic_payload&));
    void call_get_direct_mem_ptr(sc_core::sc_module* module,
                                 bool (sc_core::sc_module::*call)(tlm::tlm_generic_payload&,
                                                                  tlm::tlm_dmi&));
};

class InitiatorSocket
    : public tlm_utils::simple_initiator_socket<sc_core::sc_module, bus_width, BulkProtocol> {
public:
    explicit InitiatorSocket(const char* name);
    ~InitiatorSocket() override;

    template <typename Module>
    void register_invalidate_direct_mem_ptr(Module* module,
                                            void (Module::*call)(sc_dt::uint64, sc_dt::uint64))
    {
        using Call = void (sc_core::sc_module::*)(sc_dt::uint64, sc_dt::uint64);
        call_invalidate_direct_mem_ptr(module, static_cast<Call>(call));
    }

private:
    void call_invalidate_direct_mem_ptr(sc_core::sc_module* module,
                                        void (sc_core::sc_module::*call)(sc_dt::uint64,
                                                                         sc_dt::uint64));
};

} // namespace levee
