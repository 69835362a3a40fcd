// SPDX-License-Identifier: Apache-2.0
#include "core/flow/sockets.hpp"

namespace levee {

using sc_core::sc_module;

TargetSocket::TargetSocket(const char* name) : simple_target_socket(name) {}

TargetSocket::~TargetSocket() = default;

void TargetSocket::call_b_transport(sc_module* module,
                                    void (sc_module::*call)(tlm::tlm_generic_payload&,
                                                            sc_core::sc_time&))
{
    simple_target_socket::register_b_transport(module, call);
}

void TargetSocket::call_transport_dbg(sc_module* module,
                                      unsigned (sc_module::*call)(tlm::tlm_generic_payload&))
{
    simple_target_socket::register_transport_dbg(module, call);
}

void TargetSocket::call_get_direct_mem_ptr(sc_module* module,
                                           bool (sc_module::*call)(tlm::tlm_generic_payload&,
                                                                   tlm::tlm_dmi&))
{
    simple_target_socket::register_get_direct_mem_ptr(module, call);
}

InitiatorSocket::InitiatorSocket(const char* name) : simple_initiator_socket(name) {}

InitiatorSocket::~InitiatorSocket() = default;

void InitiatorSocket::call_invalidate_direct_mem_ptr(sc_module* module,
                                                     void (sc_module::*call)(sc_dt::uint64,
                                                                             sc_dt::uint64))
{
    simple_initiator_socket::register_invalidate_direct_mem_ptr(module, call);
}

} // namespace levee
