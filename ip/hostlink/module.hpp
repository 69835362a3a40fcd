// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/register_file.hpp"
#include "core/flow/sockets.hpp"
#include "ip/hostlink/marked_part.hpp"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <optional>
#include <string>

namespace levee::hostlink {

/// Receives the program's reports at the simulated time of the write.
class Listener {
public:
    virtual ~Listener() = default;
    virtual void on_exit(int code, const sc_core::sc_time& at) = 0;
    virtual void on_phase(levee_phase phase, const sc_core::sc_time& at) = 0;
    virtual void on_token(std::uint32_t sequence, std::uint32_t id, const sc_core::sc_time& at) = 0;
    /// Called when a part of the work begins, or when the current part ends.
    virtual void on_mark(const MarkedPart& part, bool begins, const sc_core::sc_time& at) = 0;
    /// Called when a request is taken from the queue, makes progress, or is complete.
    virtual void on_request(levee_request_event /*event*/, std::uint32_t /*number*/,
                            const sc_core::sc_time& /*at*/)
    {
    }
    /// Called when the program declares [bottom, top) as a stack.
    virtual void on_stack(std::uint32_t /*bottom*/, std::uint32_t /*top*/) {}
    /// Called when the program records a metric. `bits` is a uint64, an int64 or a double,
    /// according to `kind`.
    virtual void on_metric(const std::string& name, levee_metric_kind kind, std::uint64_t bits) = 0;
};

/// The write-only registers of ip/hostlink/regs.h. If regs.h does not allow a value (such as a
/// phase, mark, stack, metric kind or name), the write fails with TLM_GENERIC_ERROR and is not
/// reported.
class Hostlink : public sc_core::sc_module {
public:
    TargetSocket socket;
    /// Bound to the bus. Names of metrics are read by debug accesses, which take no simulated time.
    InitiatorSocket memory;

    /// The listener must outlive the module.
    Hostlink(const sc_core::sc_module_name& name, Listener& listener);

    const RegisterFile& register_file() const { return registers_; }

private:
    void add_registers();
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
    /// Returns the time at which a register write takes effect: the time of the program's access
    /// or, if a debugger or script writes, the current time.
    [[nodiscard]] sc_core::sc_time at() const;
    void set_phase(std::uint32_t value);
    void mark(std::uint32_t value);
    void end_mark();
    void report_request(std::uint32_t event);
    void name_stack(std::uint32_t top);
    void record_metric(std::uint32_t kind);
    std::optional<std::string> read_name();

    Listener& listener_;
    RegisterFile registers_;
    sc_core::sc_time delay_; // Delay of the current access.
    bool refused_ = false;
    std::uint32_t sequence_ = 0;
    std::uint32_t request_ = 0;
    std::uint32_t mark_kind_ = 0;
    std::uint32_t mark_index_ = 0;
    std::int32_t mark_times_ = LEVEE_MARK_ONCE;
    std::optional<MarkedPart> open_mark_;
    std::uint32_t stack_bottom_ = 0;
    std::uint32_t name_address_ = 0;
    std::uint32_t value_lo_ = 0;
    std::uint32_t value_hi_ = 0;
};

} // namespace levee::hostlink
