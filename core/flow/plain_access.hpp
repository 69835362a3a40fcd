// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/storage.hpp"

#include <tlm>

namespace levee {

/// Performs a plain (not bulk) read or write of `storage` at the payload's address and sets the
/// response. Returns false if the access was refused (out of range, byte enables, wrapping).
bool access_storage(Storage& storage, tlm::tlm_generic_payload& payload);

/// Performs a transport_dbg access. Transfers the bytes that are inside the storage and returns
/// their number.
unsigned debug_access_storage(Storage& storage, tlm::tlm_generic_payload& payload);

} // namespace levee
