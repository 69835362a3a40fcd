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

/// Going back in a run: to a checkpoint, which is a sleeping copy of the process, and from there
/// forward to a position, repeating the earlier run. The process that continues the run takes over
/// the debugger's connection.
class TimeTravel {
public:
    /// Functions of the run by which copies sleep and continue.
    struct Host {
        std::function<Server::Handles()> suspend; ///< Stops all threads except this one.
        std::function<void()> resume;
        /// Continues in another process, which ends with the file `life`.
        std::function<void(const Server::Handles&, int life)> carry_on;
        /// Tells the first process how much text has been printed; set once.
        std::function<void(std::uint64_t*)> share_text;
        std::function<std::uint64_t()> text_bytes;         ///< size of the program's text so far
        std::function<void(const std::string& file)> load; ///< Loads a program in place of the
                                                           ///< run's.
        /// Called before a checkpoint that is made at intervals.
        std::function<void(const Position&)> record;
    };

    TimeTravel(riscv::Core& core, CoreStops& stops, RunControl& control, Host host);

    // Must be called in the core's thread while the core is halted. True: this is now another
    // process, which has to run ahead, and the core must continue.
    [[nodiscard]] bool make_checkpoint(bool kept);
    /// Called before the core continues: makes a checkpoint if there is none yet, or after changes
    /// by the debugger.
    [[nodiscard]] bool before_going_on();
    /// The core has stopped, for any reason.
    enum class Stop { Ordinary, GoesOn, Arrived };
    [[nodiscard]] Stop stopped();

    /// Makes one every `cycles` cycles from now on; 0: no more.
    void every(std::uint64_t cycles);
    /// Requests a checkpoint at this stop of the core.
    void want_checkpoint() { wanted_ = true; }
    /// The debugger has changed the system: later checkpoints belong to another course of the run.
    void changed() { changed_ = true; }

    // On success the following functions do not return: another process continues and replies to
    // the debugger. On failure they return the reply.
    /// Back to the last stop before here: the last instruction, or the last hit of `points`.
    [[nodiscard]] std::string go_back(bool step);
    [[nodiscard]] std::string restart(std::uint64_t id);
    /// Goes back to the first checkpoint, to load a program there unless `file` is empty. Returns
    /// if this is already the first.
    void run_anew(const std::string& file);

    [[nodiscard]] const CheckpointList& list() const { return list_; }
    /// Whether another process has already run this part.
    [[nodiscard]] bool repeats() const
    {
        return copies_ && core_.cycles() < copies_->shared().furthest;
    }
    /// The debugger has interrupted: ends the journey here.
    void give_up();
    /// Reply to the debugger that has been waiting, once Arrived; empty: to a monitor's command.
    [[nodiscard]] std::string take_reply();
    /// Text to print before the answer.
    [[nodiscard]] std::string take_text() { return std::exchange(text_, {}); }

    static constexpr const char* no_history = "T05replaylog:begin;thread:1;";

private:
    /// The destination of the run; `search`: on the way, look for the last stop before it.
    struct Journey {
        Position to;
        bool search = false;
        bool step = false;
        std::string reply;
        std::string text; ///< printed before the reply
        std::vector<Point> points;
        /// Watchpoints whose accesses just before `to` have been reported, or will have been.
        std::vector<Point> reported;
        std::string file; ///< a program to be loaded there
    };
    /// A place and the accesses reported there.
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
    Position began_; // the journey
    std::string reply_;
    std::string text_;
    std::uint64_t every_ = 0;
    std::uint64_t next_ = 0; // Cycle of the next checkpoint.
    bool changed_ = false;
    bool wanted_ = false;
    bool muted_ = false;
};

} // namespace levee::debug
