// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/checkpoint_list.hpp"
#include "platform/observe/debug/core_stops.hpp"
#include "platform/observe/debug/run_control.hpp"
#include "platform/observe/debug/server.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace levee::debug {

/// Goes back in a run. The run returns to a checkpoint, which is a sleeping copy of the process,
/// and repeats the run from there to the position. The process that continues the run takes over
/// the debugger's connection.
class TimeTravel {
public:
    /// Functions of the run that are needed to make and wake copies.
    struct Host {
        std::function<Server::Handles()> suspend; ///< stops all other threads
        std::function<void()> resume;
        /// Takes over the server's sockets in another process. That process exits when the file
        /// `life` reaches its end.
        std::function<void(const Server::Handles&, int life)> carry_on;
        /// Gives the run a counter of printed bytes that all processes share. Called once.
        std::function<void(std::uint64_t*)> share_text;
        std::function<std::uint64_t()> text_bytes;
        std::function<void(const std::string& file)> load;
        /// Called at the end of each interval of every(), even if no checkpoint is made there.
        std::function<void(const Position&)> record;
    };

    TimeTravel(riscv::Core& core, CoreStops& stops, RunControl& control, Host host);

    // Must be called in the core's thread while the core is halted. If it returns true, this is now
    // another process, which must run to a position. The core must then continue.
    [[nodiscard]] bool make_checkpoint(bool kept);
    /// Must be called before the core continues. Makes a checkpoint if there is none, or if
    /// the debugger has changed something. Returns true in the same case as
    /// make_checkpoint().
    [[nodiscard]] bool before_going_on();
    enum class Stop { Ordinary, GoesOn, Arrived };
    /// Called when the core has stopped, for any reason.
    [[nodiscard]] Stop stopped();

    /// Makes a checkpoint every `cycles` cycles from now on; 0: none.
    void every(std::uint64_t cycles);
    /// Requests a checkpoint where the core is stopped.
    void want_checkpoint() { wanted_ = true; }
    /// Called when the debugger has changed the system. Before the core continues, the checkpoints
    /// of later cycles are dropped, because the run now differs from there on.
    void changed() { changed_ = true; }

    // On success the following functions do not return, since another process continues and
    // replies to the debugger. On failure they return the reply. go_back() goes back to the
    // last stop before the current position: with `step`, to the last instruction, and
    // otherwise to the last hit of a breakpoint or watchpoint. restart() goes to a
    // checkpoint.
    [[nodiscard]] std::string go_back(bool step);
    [[nodiscard]] std::string restart(std::uint64_t id);
    /// Goes back to the first checkpoint and, unless `file` is empty, loads a program there.
    /// Returns if there is no checkpoint, or if the run is already at the first one.
    void run_anew(const std::string& file);

    [[nodiscard]] const CheckpointList& list() const { return list_; }
    /// Returns whether another process has already run this part of the run.
    [[nodiscard]] bool repeats() const
    {
        return copies_ && core_.cycles() < copies_->shared().furthest;
    }
    /// Ends the way to the requested position early, because the debugger has interrupted it.
    void give_up();
    /// Returns, after Stop::Arrived, the reply for which the debugger waits; empty if it waits for
    /// a monitor command.
    [[nodiscard]] std::string take_reply();
    [[nodiscard]] std::string take_text() { return std::exchange(text_, {}); }

    static constexpr const char* no_history = "T05replaylog:begin;thread:1;";

private:
    /// A position to which the run goes. If `search` is set, the last stop before that position is
    /// searched on the way.
    struct Journey {
        Position to;
        bool search = false;
        bool step = false;
        std::string reply;
        std::string text;
        std::vector<Point> points;
        /// Watchpoints whose accesses just before `to` are reported already, or will be on
        /// arrival.
        std::vector<Point> reported;
        std::string file;
    };
    /// A position that the run has reached in this way, and the accesses reported there.
    struct Arrival {
        std::uint64_t instructions;
        std::vector<Point> reported;
    };

    [[nodiscard]] Position here() const;
    bool hand_over(const Checkpoint& from, const Journey& journey);
    bool search_before(const Position& limit, bool step, const std::vector<Point>& points,
                       const std::vector<Point>& reported);
    void wake_up(Handover handover);
    void begin(const Journey& journey);
    void mute(bool quiet);
    bool make_on_the_way();
    [[nodiscard]] Stop finish_search();
    Stop arrive(const Journey& journey);

    riscv::Core& core_;
    CoreStops& stops_;
    RunControl& control_;
    Host host_;
    std::unique_ptr<SleepingCopies> copies_;
    CheckpointList list_;
    std::optional<Journey> journey_;
    std::optional<Arrival> arrival_;
    Position began_;
    std::string reply_;
    std::string text_;
    std::uint64_t every_ = 0;
    std::uint64_t next_ = 0;
    bool changed_ = false;
    bool wanted_ = false;
    bool muted_ = false;
};

} // namespace levee::debug
