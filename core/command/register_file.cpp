// SPDX-License-Identifier: Apache-2.0
#include "core/command/register_file.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace levee {

void RegisterFile::add(Register reg)
{
    const auto at =
        std::lower_bound(registers_.begin(), registers_.end(), reg.offset,
                         [](const Register& r, std::uint32_t offset) { return r.offset < offset; });
    if (reg.offset % width_ != 0 || (at != registers_.end() && at->offset == reg.offset))
        throw std::logic_error("register " + reg.name +
                               ": its offset is misaligned or already in use");
    registers_.insert(at, std::move(reg));
}

const Register* RegisterFile::find(std::uint64_t offset) const
{
    const auto at =
        std::lower_bound(registers_.begin(), registers_.end(), offset,
                         [](const Register& r, std::uint64_t o) { return r.offset < o; });
    return at != registers_.end() && at->offset == offset ? &*at : nullptr;
}

bool RegisterFile::is_whole(const tlm::tlm_generic_payload& payload) const
{
    return payload.get_data_length() == width_ && payload.get_byte_enable_ptr() == nullptr &&
           payload.get_streaming_width() >= width_;
}

void RegisterFile::transport(tlm::tlm_generic_payload& payload) const
{
    if (payload.get_byte_enable_ptr() != nullptr) {
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return;
    }
    if (!is_whole(payload)) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    const Register* const reg = find(payload.get_address());
    if (reg == nullptr) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    if (payload.is_read() ? !reg->read : !reg->write) {
        payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
        return;
    }
    std::uint32_t word = 0;
    if (payload.is_read()) {
        word = reg->read();
        std::memcpy(payload.get_data_ptr(), &word, width_);
    } else if (payload.is_write()) {
        std::memcpy(&word, payload.get_data_ptr(), width_);
        reg->write(word);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned RegisterFile::transport_debug(tlm::tlm_generic_payload& payload) const
{
    const Register* const reg = find(payload.get_address());
    if (!is_whole(payload) || reg == nullptr || !payload.is_read() || !reg->read)
        return 0;
    const std::uint32_t word = reg->value();
    std::memcpy(payload.get_data_ptr(), &word, width_);
    return width_;
}

} // namespace levee
