// SPDX-License-Identifier: Apache-2.0
#include "core/flow/plain_access.hpp"

#include <algorithm>
#include <cstring>

namespace levee {

namespace {

void move(Storage& storage, tlm::tlm_generic_payload& payload, unsigned bytes)
{
    std::uint8_t* const at = storage.data() + payload.get_address();
    if (payload.is_read())
        std::memcpy(payload.get_data_ptr(), at, bytes);
    else if (payload.is_write())
        std::memcpy(at, payload.get_data_ptr(), bytes);
}

} // namespace

bool access_storage(Storage& storage, tlm::tlm_generic_payload& payload)
{
    if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return false;
    }
    if (payload.get_streaming_width() < payload.get_data_length()) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return false;
    }
    if (!storage.holds(payload.get_address(), payload.get_data_length())) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return false;
    }
    move(storage, payload, payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    return true;
}

unsigned debug_access_storage(Storage& storage, tlm::tlm_generic_payload& payload)
{
    if (payload.get_address() >= storage.size())
        return 0;
    const auto inside =
        std::min<std::uint64_t>(payload.get_data_length(), storage.size() - payload.get_address());
    move(storage, payload, static_cast<unsigned>(inside));
    return static_cast<unsigned>(inside);
}

} // namespace levee
