// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>

namespace levee {

/// The protocol of Levee's own modules: generic payloads by b_transport, with BulkExtension. The
/// extension is mandatory, because a target that ignored it would respond without moving the bytes.
/// The protocol therefore has its own traits class (IEEE 1666-2011, 14.2.2), so that these sockets
/// cannot be bound to sockets of the base protocol. Modules of the base protocol are bound through
/// FromBaseProtocol and ToBaseProtocol (core/flow/base_protocol.hpp).
struct BulkProtocol {
    using tlm_payload_type = tlm::tlm_generic_payload;
    using tlm_phase_type = tlm::tlm_phase;
};

inline constexpr unsigned bus_width = 32; ///< Width, in bits, of all sockets.

using InitiatorPort = tlm::tlm_initiator_socket<bus_width, BulkProtocol>;
using TargetPort = tlm::tlm_target_socket<bus_width, BulkProtocol>;

} // namespace levee
