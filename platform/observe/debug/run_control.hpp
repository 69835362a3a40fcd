// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/bus/module.hpp"
#include "ip/riscv/core.hpp"
#include "platform/observe/debug/core_stops.hpp"
#include "platform/observe/debug/target.hpp"

#include <cstdint>
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
};

/// "0x80001234 written by dma", with a line end; empty for an access of the core.
[[nodiscard]] std::string access_text(const WatchHit& hit);

/// Reply to the debugger of a stop at a watchpoint, or at a breakpoint.
[[nodiscard]] std::string stop_reply(const WatchHit& hit);
[[nodiscard]] std::string stop_reply(PointKind breakpoint);

/// Name of the only thread in replies.
constexpr const char* thread_suffix = "thread:1;";

/// A stop that was looked for: the last one in a stretch of the run.
struct Found {
    std::uint64_t cycle = 0; ///< of the instruction boundary
    std::string reply;       ///< to the debugger that goes back there
    std::string text;        ///< to be printed before it
};

/// Conditions that stop the core: breakpoints, watchpoints on accesses by the core and by blocks,
/// steps. The core leaves its fast loop only while it steps or a watchpoint is set.
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

    /// Lets the core run without stopping, looking for the last boundary (`step`), the last one at
    /// a breakpoint, or the last one before an access that a watchpoint covers.
    void search(const std::vector<Point>& points, bool step);
    /// What has been found; the points are gone.
    [[nodiscard]] std::optional<Found> end_search();

    /// State since the core resumed: the first hit, and whether the step is complete.
    [[nodiscard]] const std::optional<WatchHit>& hit() const { return hit_; }
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
    void after_access(std::uint32_t address, std::uint32_t size, bool write) override;
    void passed(const bus::Transaction& transaction) override;

    void begin(Mode mode);
    void note(const WatchHit& hit);
    void note_boundary(std::uint32_t pc, std::uint64_t cycle);
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
    bool first_ = false; // no instruction has executed since the core resumed
    std::uint32_t start_pc_ = 0;
    std::uint32_t range_begin_ = 0;
    std::uint64_t range_end_ = 0;
    std::optional<Return> in_handler_;
    std::optional<WatchHit> hit_;
    bool step_done_ = false;

    // State of a search:
    bool any_boundary_ = false;
    std::uint64_t boundary_ = 0; // cycle of the last
    std::optional<Found> found_;
};

} // namespace levee::debug
