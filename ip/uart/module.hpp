// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <deque>
#include <functional>

namespace levee::uart {

// The byte registers of ip/uart/regs.h. Sending takes no time; received bytes wait without limit.
class Uart : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<Uart> socket;

    explicit Uart(const sc_core::sc_module_name& name);

    std::function<void(char)> sink;      // gets every byte sent; may be empty
    std::function<void(bool level)> irq; // called when the interrupt line changes; may be empty
    void push(uint8_t byte);             // a byte arrives

private:
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    tlm::tlm_response_status read(uint64_t offset, uint8_t& value);
    tlm::tlm_response_status write(uint64_t offset, uint8_t value);
    uint8_t line_status() const;
    uint8_t receive();
    void update_irq();

    std::deque<uint8_t> received_;
    uint8_t interrupt_enable_ = 0;
    uint8_t line_control_ = 0;
    bool irq_level_ = false;
};

} // namespace levee::uart
