// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/machine_view.hpp"
#include "platform/observe/debug/monitor.hpp"
#include "platform/observe/debug/run_control.hpp"
#include "platform/observe/debug/script_run.hpp"
#include "platform/observe/debug/server.hpp"
#include "platform/observe/debug/session.hpp"
#include "platform/observe/debug/target.hpp"
#include "platform/observe/debug/time_travel.hpp"

#include <systemc>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace levee::debug {

struct Options {
    std::uint16_t port = 0; ///< 0: any free port
    bool wait = true;       ///< the program waits until a debugger resumes it
    bool once = false;      ///< the run ends when its first debugger leaves
};

struct RunHooks {
    std::function<void(const char* why)> kill; ///< ends the run
    std::function<void(std::uint64_t*)> share_text;
    std::function<std::uint64_t()> text_bytes;
    std::function<void(const Position&)> record;
    std::function<void()> stopped;
};

/// Connects GDB to a system, with a server and the replies to packets. While the core is halted,
/// its thread waits for packets, and simulated time does not advance. While the core runs, only
/// arriving packets cost host time.
class Debugger : private Target {
public:
    /// Must be constructed before the simulation starts. `interventions` counts the debugger's
    /// writes. Throws std::runtime_error if the port is not available.
    Debugger(const MachineView& machine, CoreStops& stops, ScriptRuns& scripts, Monitor& monitor,
             LoadedProgram& program, Interventions& interventions, const Options& options,
             RunHooks hooks);

    /// Halts the core as soon as possible. Returns false if no debugger is connected.
    bool halt_for_script();

    [[nodiscard]] std::uint16_t port() const { return server_->port(); }
    [[nodiscard]] TimeTravel& travel() { return travel_; }
    /// Halts at the core's position and waits for a debugger. The core must be stopped.
    void wait_here() { wait_for_start_ = true; }
    /// Makes a checkpoint at the core's position. The core must be stopped.
    void want_checkpoint() { travel_.want_checkpoint(); }
    /// Called when the core has stopped, for any reason.
    void core_stopped();

    /// Reports a deadlock to the debugger, with the explanation `message`. The debugger can still
    /// inspect the system.
    void stalled(const std::string& message);
    void ended(int code, const std::string& failure);

private:
    /// Lets another thread stop the core at the next kernel update.
    class Attention : public sc_core::sc_prim_channel {
    public:
        explicit Attention(riscv::Core& core) : sc_prim_channel("gdb_attention"), core_(core) {}
        void call() { async_request_update(); }

    private:
        void update() override { core_.request_stop(); }
        riscv::Core& core_;
    };

    std::optional<std::uint32_t> read_register(std::uint32_t index) override;
    bool write_register(std::uint32_t index, std::uint32_t value) override;
    std::size_t read_memory(std::uint32_t address, std::span<std::uint8_t> data) override;
    bool write_memory(std::uint32_t address, std::span<const std::uint8_t> data) override;
    [[nodiscard]] std::vector<Region> regions() const override;
    void add_point(const Point& point) override { control_.add(point); }
    void remove_point(const Point& point) override { control_.remove(point); }
    void remove_all_points() override { control_.remove_all(); }

    /// Writes a component's register, and returns whether this succeeded; nothing if the address
    /// has no register.
    std::optional<bool> poke_register(std::uint32_t address, std::span<const std::uint8_t> data);
    void changed();
    static void warn_on_terminal(const std::string& text);
    std::size_t read_word_part(std::uint32_t address, std::span<std::uint8_t> data);
    bool must_halt();
    bool halts_for_events();
    [[nodiscard]] std::string stop_reply();
    void take_client();
    void lose_client();
    void forget_client();
    void report_stop(const std::string& reply);
    void serve();
    bool handle_packet(const std::string& packet);
    bool act(const Action& action);
    bool go_on(const Action& action);
    void kill(const char* why);
    void run_anew(const std::string& file);
    void load(const std::string& file);
    bool checkpoint(const std::vector<std::string>& words);
    [[nodiscard]] std::string checkpoint_every(const std::vector<std::string>& words);
    [[nodiscard]] TimeTravel::Host travel_host();
    bool run_monitor(const std::string& command);
    void print(const std::string& text);

    const MachineView& machine_;
    Interventions& interventions_;
    riscv::Core& core_;
    Attention attention_;
    CoreStops& stops_;
    ScriptRuns& scripts_;
    RunControl control_;
    Monitor& monitor_;
    LoadedProgram& program_;
    Session session_;
    RunHooks hooks_;
    TimeTravel travel_;

    std::string stop_;
    bool connected_ = false;
    bool killed_ = false;
    bool may_run_ = false; // GDB has killed the run; the process remains, so that the program can
                           // be started again
    bool wait_for_start_;
    bool once_;                 // the run ends when its first debugger leaves
    bool monitor_runs_ = false; // the reply to a monitor command follows at the next stop
    bool idle_reached_ = false;
    bool script_halts_ = false;
    bool over_ = false;
    std::unique_ptr<Server> server_; // the last member, since its thread uses the members above
};

} // namespace levee::debug
