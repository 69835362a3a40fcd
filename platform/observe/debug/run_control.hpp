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

/// An access to bytes that a watchpoint covers.
struct WatchHit {
    Point point;
    std::uint32_t address = 0; ///< first watched byte of the access, at the core's address
    std::string by;            ///< the block that made the access; empty: the core
    bool write = false;
    bool made = false; ///< true: the access has happened; false: the core stopped before it
};

/// Returns a line such as "0x80001234 written by dma"; empty if the core made the access.
[[nodiscard]] std::string access_text(const WatchHit& hit);

/// Returns the reply to the debugger when the core stops at a watchpoint, or at a breakpoint.
[[nodiscard]] std::string stop_reply(const WatchHit& hit);
[[nodiscard]] std::string stop_reply(PointKind breakpoint);

/// The only thread's name in replies.
constexpr const char* thread_suffix = "thread:1;";

/// The result of a search through a part of the run: the last place in it at which the core would
/// have stopped.
struct Found {
    std::uint64_t cycle = 0;
    std::string reply; ///< reply to the debugger once the run is back at this place
    std::string text;
    std::optional<Point> watch; ///< the watchpoint, if one is the reason
};

/// Stops the core at breakpoints, after steps, and at watchpoints on accesses by the core and by
/// blocks. The core leaves its fast loop only while it steps, while a search runs, or while a
/// watchpoint is set.
///
/// The core stops before the instruction that makes a watched access, as RISC-V's triggers do and
/// GDB expects. GDB then removes its watchpoints, steps, and compares values. A block's access has
/// already happened when the core can stop. So the next step ends at once, and nothing else happens
/// in it. Accesses that other watchpoints cover in the meantime are reported when the core is about
/// to continue. In reverse execution the core stops after the instruction, and the step goes back
/// over it.
class RunControl : private riscv::Observer, private bus::BusObserver {
public:
    /// `initiators` are the names of the bus's initiators by index. The first is the core.
    RunControl(riscv::Core& core, CoreStops& stops, bus::Bus& bus,
               const std::vector<std::string>& initiators);
    RunControl(const RunControl&) = delete;
    RunControl& operator=(const RunControl&) = delete;

    /// Sets the function that is called when the core has stopped.
    void on_stop(std::function<void()> stopped);

    void add(const Point& point);
    void remove(const Point& point);
    void remove_all();
    [[nodiscard]] std::optional<PointKind> breakpoint_at(std::uint32_t pc) const;

    // These resume the core. The function that on_stop() has set calls them.
    void run_free();
    void step();
    /// Executes at least one instruction, and then more until the pc is outside [begin, end).
    void step_range(std::uint32_t begin, std::uint64_t end);

    [[nodiscard]] const std::vector<Point>& points() const { return points_; }

    /// A stop that is reported at once, without resuming the core. The reason is another access at
    /// the same place, or the end of a step over an access that has already happened.
    struct AtOnce {
        std::string reply;
        std::string text;
    };
    [[nodiscard]] std::optional<AtOnce> at_once(bool steps);

    /// Runs the core without stopping it, and records the last place of interest. Such a place is a
    /// breakpoint, the boundary after a watched access or, if `step` is set, any instruction
    /// boundary.
    void search(const std::vector<Point>& points, bool step);
    /// Ends the search, removes its points and returns the place that was found. `reported` has
    /// watchpoints whose accesses just before the current place have already been reported.
    [[nodiscard]] std::optional<Found> end_search(const std::vector<Point>& reported);

    /// Returns the access for which the core has stopped. From now on, this access counts as
    /// reported.
    [[nodiscard]] std::optional<WatchHit> take_hit();
    [[nodiscard]] bool step_done() const { return step_done_; }

private:
    enum class Mode { Free, Step, Range, Search };
    /// The return address of an interrupt handler.
    struct Return {
        std::uint32_t pc;
        std::uint32_t sp;
    };
    /// A place on the bus to which one of the core's addresses leads: a target of the bus, and an
    /// offset in it.
    struct Place {
        unsigned target;
        std::uint64_t offset;
    };

    bool before_instruction(std::uint32_t pc, std::uint64_t cycle) override;
    void after_access(std::uint32_t, std::uint32_t, bool) override {}
    void passed(const bus::Transaction& transaction) override;

    /// The last reported access, and the core's position at that time.
    struct Reported {
        WatchHit hit;
        std::uint64_t instructions;
        std::uint32_t pc;
        std::vector<Point> passed;
        std::vector<Point> points;
    };

    void begin(Mode mode);
    [[nodiscard]] bool is_here(const Reported& reported) const;
    [[nodiscard]] bool steps_over(bool steps) const;
    [[nodiscard]] bool is_set(const Point& point) const;
    void report(const WatchHit& hit);
    void forget_removed();
    /// Records the watched accesses that the next instruction will make. Returns false if the core
    /// must stop before it.
    bool look_ahead();
    void note(const WatchHit& hit);
    void note_boundary(std::uint32_t pc, std::uint64_t cycle);
    [[nodiscard]] const std::vector<Point>& watched() const;
    bool belongs_to_step(std::uint32_t pc);
    bool is_interrupt_entry(std::uint32_t pc);
    [[nodiscard]] std::optional<Place> place_of(std::uint32_t address) const;
    /// Returns the first byte of `point` that the transaction accesses, as an address of the core.
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
    bool first_ = false;
    std::uint32_t start_pc_ = 0;
    std::uint32_t range_begin_ = 0;
    std::uint64_t range_end_ = 0;
    std::optional<Return> in_handler_;
    std::deque<WatchHit> hits_;
    std::optional<Reported> reported_;
    bool stepping_over_ = false; // whether the core steps over the last reported access
    bool step_done_ = false;

    // State of a search.
    bool any_boundary_ = false;
    std::vector<WatchHit> since_boundary_;
    std::optional<Found> found_;
};

} // namespace levee::debug
