// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/register_file.hpp"
#include "core/flow/sockets.hpp"
#include "ip/riscv/clock.hpp"
#include "ip/riscv/core.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>

namespace levee::riscv {

/// Register offsets of a core-local interruptor for one hart (RISC-V ACLINT, SiFive layout).
/// Registers are accessed with 32 bits.
namespace clint_register {
constexpr std::uint32_t msip = 0x0;
constexpr std::uint32_t mtimecmp = 0x4000; ///< Low word; the high word is in the next 4 bytes.
constexpr std::uint32_t mtime = 0xBFF8;
constexpr std::uint32_t bytes = 0x10000;
} // namespace clint_register

/// Software and timer interrupts. mtime counts the edges of the timebase clock. The timer line
/// changes exactly at the edge where mtime reaches mtimecmp.
class Clint : public sc_core::sc_module, public TimeSource {
public:
    TargetSocket socket;
    /// Called when the level of a line may have changed.
    std::function<void(Interrupt line, bool level)> on_line;

    /// `timebase_hz` is 1 to 10^12. Throws std::invalid_argument for other values.
    Clint(const sc_core::sc_module_name& name, std::uint64_t timebase_hz);

    /// Connects the hart whose interrupt lines the CLINT drives. The hart must outlive the
    /// simulation.
    void connect(InterruptSink& hart);
    const RegisterFile& register_file() const { return registers_; }
    std::uint64_t mtime_at(std::uint64_t ps) const override
    {
        return timebase_.last_edge(ps) + offset_;
    }

private:
    void add_registers();
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    void set_software(std::uint32_t value);
    void set_mtime(std::uint64_t value);
    void set_mtimecmp(std::uint64_t value);
    void update_timer();
    void drive(Interrupt line, bool level);
    std::uint64_t mtime() const;

    Clock timebase_;
    RegisterFile registers_;
    InterruptSink* hart_ = nullptr;
    sc_core::sc_event timer_;
    std::uint64_t offset_ = 0; // mtime minus the number of clock edges since time zero, modulo
                               // 2^64.
    std::uint64_t mtimecmp_ = UINT64_MAX;
    bool software_ = false;
};

} // namespace levee::riscv
