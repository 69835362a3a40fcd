// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

namespace levee {

/// The protocol of Levee's own modules: generic payloads by b_transport, and BulkExtension. The
/// extension is mandatory, since a target that ignored it would answer without moving the bytes. It
/// therefore has its own traits class (IEEE 1666-2011, 14.2.2): a socket of the base protocol
/// cannot be bound to one of these. Modules of the base protocol are bound through FromBaseProtocol
/// and ToBaseProtocol (core/flow/base_protocol.hpp).
struct BulkProtocol {
    using tlm_payload_type = tlm::tlm_generic_payload;
    using tlm_phase_type = tlm::tlm_phase;
};

inline constexpr unsigned bus_width = 32; ///< width, in bits, of all its sockets

using InitiatorPort = tlm::tlm_initiator_socket<bus_width, BulkProtocol>;
using TargetPort = tlm::tlm_target_socket<bus_width, BulkProtocol>;

} // namespace levee
