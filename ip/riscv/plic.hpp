// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/register_file.hpp"
#include "core/flow/sockets.hpp"
#include "ip/riscv/core.hpp"

#include <systemc>
#include <tlm>

#include <array>
#include <cstdint>
#include <functional>

namespace levee::riscv {

/// Register offsets of the platform-level interrupt controller (RISC-V PLIC 1.0.0) for one context,
/// hart 0 in machine mode. Registers are accessed with 32 bits.
namespace plic_register {
constexpr std::uint32_t priority = 0x0; ///< + 4 * source
constexpr std::uint32_t pending = 0x1000;
constexpr std::uint32_t enable = 0x2000;
constexpr std::uint32_t threshold = 0x200000;
constexpr std::uint32_t claim = 0x200004; ///< Read: claim; write: complete.
constexpr std::uint32_t bytes = 0x4000000;
} // namespace plic_register

/// Interrupt controller with level-triggered sources 1 to source_count and priorities 0 (never) to
/// max_priority.
class Plic : public sc_core::sc_module {
public:
    static constexpr std::uint32_t source_count = 64;
    static constexpr std::uint32_t max_priority = 7;

    TargetSocket socket;

    /// State of a source's request.
    enum class Request {
        None,    ///< No request is pending, or its service is complete.
        Pending, ///< Latched until the hart claims it.
        Claimed  ///< Claimed until the hart completes it.
    };
    /// Called when a request changes its state.
    std::function<void(std::uint32_t irq, Request request)> on_request;
    /// Called when a program completes an enabled source without having claimed it.
    std::function<void(std::uint32_t irq)> on_unclaimed;

    explicit Plic(const sc_core::sc_module_name& name);

    void connect(InterruptSink& hart);
    /// Sets the line of source `irq`. Throws std::out_of_range if there is no such source.
    void set_source(std::uint32_t irq, bool level);
    /// Returns the request state of source `irq`, 1 to source_count.
    [[nodiscard]] Request request(std::uint32_t irq) const;
    const RegisterFile& register_file() const { return registers_; }

private:
    struct Source {
        std::uint32_t priority = 0;
        bool level = false;
        bool pending = false;
        bool enabled = false;
        bool in_service = false; // Claimed but not yet completed.
    };

    static constexpr std::uint32_t words = source_count / 32 + 1;

    void add_registers();
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& payload);
    std::uint32_t bits(std::uint32_t word, bool Source::*member) const;
    void set_enabled(std::uint32_t word, std::uint32_t value);
    // Returns the enabled, pending source with the highest priority; ties go to the lowest number.
    // Returns 0 if there is none.
    std::uint32_t best() const;
    std::uint32_t claim();
    void complete(std::uint32_t irq);
    void latch(std::uint32_t irq);
    void report(std::uint32_t irq, Request request) const;
    void update();

    RegisterFile registers_;
    InterruptSink* hart_ = nullptr;
    std::array<Source, source_count + 1> sources_{}; // [0] is unused.
    std::uint32_t threshold_ = 0;
};

} // namespace levee::riscv
