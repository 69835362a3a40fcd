// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/flow/sockets.hpp"

#include <systemc>
#include <tlm>

#include <array>
#include <cstdint>
#include <cstring>

namespace levee::test {

/// Drives a target like software, by reads and writes of registers, and returns the responses.
class BusMaster : public sc_core::sc_module {
public:
    InitiatorSocket socket;

    explicit BusMaster(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {}

    /// Returns the response to an access of `bytes` (at most 8) at an address. Writes zeros.
    tlm::tlm_response_status response(tlm::tlm_command command, std::uint64_t address,
                                      unsigned bytes)
    {
        std::array<unsigned char, 8> data{};
        return transport(command, address, data.data(), bytes);
    }
    std::uint32_t read32(std::uint64_t address) { return read<std::uint32_t>(address); }
    std::uint8_t read8(std::uint64_t address) { return read<std::uint8_t>(address); }
    void write32(std::uint64_t address, std::uint32_t value) { write(address, value); }
    void write8(std::uint64_t address, std::uint8_t value) { write(address, value); }

    tlm::tlm_response_status last = tlm::TLM_INCOMPLETE_RESPONSE;

private:
    template <class T> T read(std::uint64_t address)
    {
        T value = 0;
        transport(tlm::TLM_READ_COMMAND, address, reinterpret_cast<unsigned char*>(&value),
                  sizeof value);
        return value;
    }
    template <class T> void write(std::uint64_t address, T value)
    {
        transport(tlm::TLM_WRITE_COMMAND, address, reinterpret_cast<unsigned char*>(&value),
                  sizeof value);
    }
    tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address,
                                       unsigned char* data, unsigned bytes)
    {
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(address);
        payload.set_data_ptr(data);
        payload.set_data_length(bytes);
        payload.set_streaming_width(bytes);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(payload, delay);
        return last = payload.get_response_status();
    }
};

} // namespace levee::test
