// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/storage.hpp"

#include <tlm>

namespace levee {

/// Carries out a plain (not bulk) read or write on `storage` at the payload's address and sets the
/// response; false if it was refused (outside memory, byte enables, wrapping).
bool access_storage(Storage& storage, tlm::tlm_generic_payload& payload);

/// The same for transport_dbg: moves as many bytes as lie inside, returns how many.
unsigned debug_access_storage(Storage& storage, tlm::tlm_generic_payload& payload);

} // namespace levee
