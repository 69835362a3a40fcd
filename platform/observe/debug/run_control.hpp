// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/bus/module.hpp"
#include "ip/riscv/core.hpp"
#include "platform/observe/debug/core_stops.hpp"
#include "platform/observe/debug/target.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace levee::debug {

/// An access that a watchpoint covers.
struct WatchHit {
    Point point;
    std::uint32_t address = 0; ///< first watched byte accessed, at the core's address
    std::string by;            ///< the block; empty: the core
    bool write = false;
    bool made = false; ///< true after the access; false while the core is stopped before it
};

/// "0x80001234 written by dma", with a line end; empty for an access of the core.
[[nodiscard]] std::string access_text(const WatchHit& hit);

/// Reply to the debugger for a stop at a watchpoint, or at a breakpoint.
[[nodiscard]] std::string stop_reply(const WatchHit& hit);
[[nodiscard]] std::string stop_reply(PointKind breakpoint);

/// Name of the only thread in replies.
constexpr const char* thread_suffix = "thread:1;";

/// The result of a search: the last stop in a stretch of the run.
struct Found {
    std::uint64_t cycle = 0;    ///< cycle of the instruction boundary
    std::string reply;          ///< Reply to the debugger after going back.
    std::string text;           ///< Text to print before the reply.
    std::optional<Point> watch; ///< the watchpoint, if it is one
};

/// Conditions that stop the core: breakpoints, steps, and watchpoints on accesses by the core and
/// by blocks. The core leaves its fast loop only while it steps or a watchpoint is set.
///
/// The core stops before the instruction that makes a watched access, as RISC-V's triggers do and
/// GDB expects: GDB then removes its watchpoints, steps, and compares values. A block's access has
/// already been made when the core can stop; the next step therefore ends at once, so that nothing
/// else happens in it. Accesses that other watchpoints see meanwhile are reported when the core is
/// about to continue. In reverse execution the core stops after the instruction, and the step goes
/// back over it.
class RunControl : private riscv::Observer, private bus::BusObserver {
public:
    /// `initiators` are the bus's, by index; the first is the core.
    RunControl(riscv::Core& core, CoreStops& stops, bus::Bus& bus,
               const std::vector<std::string>& initiators);
    RunControl(const RunControl&) = delete;
    RunControl& operator=(const RunControl&) = delete;

    /// Called when the core has stopped.
    void on_stop(std::function<void()> stopped);

    void add(const Point& point);
    void remove(const Point& point);
    void remove_all();
    [[nodiscard]] std::optional<PointKind> breakpoint_at(std::uint32_t pc) const;

    // Ways to resume the core after its `stopped` callback returns.
    void run_free();
    void step();
    /// Runs until the pc is outside [begin, end), for at least one instruction.
    void step_range(std::uint32_t begin, std::uint64_t end);

    [[nodiscard]] const std::vector<Point>& points() const { return points_; }

    /// Report to the debugger that keeps the core from continuing: an access made while the core
    /// passed another one, or the end of a step over a completed access.
    struct AtOnce {
        std::string reply;
        std::string text; ///< Text to print before the report.
    };
    [[nodiscard]] std::optional<AtOnce> at_once(bool steps);

    /// Runs the core without stopping and records the last boundary (`step`), the last one at a
    /// breakpoint, or the last one after an access that a watchpoint covers.
    void search(const std::vector<Point>& points, bool step);
    /// The stop that was found; the points are removed. `reported`: watchpoints whose accesses just
    /// before this place are already known.
    [[nodiscard]] std::optional<Found> end_search(const std::vector<Point>& reported);

    /// Access for which the core has stopped; it counts as reported from now on.
    [[nodiscard]] std::optional<WatchHit> take_hit();
    [[nodiscard]] bool step_done() const { return step_done_; }

private:
    enum class Mode { Free, Step, Range, Search };
    /// Return address of an interrupt handler.
    struct Return {
        std::uint32_t pc;
        std::uint32_t sp;
    };
    /// Location behind one of the core's addresses: a target of the bus and an address in it.
    struct Place {
        unsigned target;
        std::uint64_t offset;
    };

    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override;
    void after_access(std::uint32_t, std::uint32_t, bool) override {}
    void passed(const bus::Transaction& transaction) override;

    /// The last reported access, and the next action of the core.
    struct Reported {
        WatchHit hit;
        std::uint64_t instructions;
        std::uint32_t pc;
        std::vector<Point> passed; ///< All watchpoints that were reported for this instruction.
        std::vector<Point> points; ///< Watchpoints at that time.
    };

    void begin(Mode mode);
    [[nodiscard]] bool is_here(const Reported& reported) const;
    [[nodiscard]] bool steps_over(bool steps) const;
    [[nodiscard]] bool is_set(const Point& point) const;
    void report(const WatchHit& hit);
    void forget_removed();
    /// Determines the accesses of the next instruction. False: the core must stop before it.
    bool look_ahead();
    void note(const WatchHit& hit);
    void note_boundary(std::uint32_t pc, std::uint64_t cycle);
    [[nodiscard]] const std::vector<Point>& watched() const;
    bool belongs_to_step(std::uint32_t pc);
    bool is_interrupt_entry(std::uint32_t pc);
    [[nodiscard]] std::optional<Place> place_of(std::uint32_t address) const;
    /// First byte of `point` that the transaction accesses, at the core's address.
    [[nodiscard]] std::optional<std::uint32_t> touched(const Point& point,
                                                       const bus::Transaction& transaction) const;

    riscv::Core& core_;
    CoreStops& stops_;
    bus::Bus& bus_;
    const std::vector<std::string>& initiators_;
    std::function<void()> stopped_;
    std::vector<Point> points_;
    bool watching_ = false;

    Mode mode_ = Mode::Free;
    bool first_ = false; // True until the first instruction after the core resumed.
    std::uint32_t start_pc_ = 0;
    std::uint32_t range_begin_ = 0;
    std::uint64_t range_end_ = 0;
    std::optional<Return> in_handler_;
    std::deque<WatchHit> hits_; // Hits that are not reported yet.
    std::optional<Reported> reported_;
    bool stepping_over_ = false; // the core steps over the access that was reported last
    bool step_done_ = false;

    // State of a search:
    bool any_boundary_ = false;
    std::vector<WatchHit> since_boundary_;
    std::optional<Found> found_;
};

} // namespace levee::debug
