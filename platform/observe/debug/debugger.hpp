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
    bool wait = true;       ///< the program starts when a debugger resumes it
};

/// The functions of a run that the debugger needs.
struct RunHooks {
    std::function<void()> kill; ///< ends the run
    std::function<void(std::uint64_t*)> share_text;
    std::function<std::uint64_t()> text_bytes;
    std::function<void(const Position&)> record; ///< Same as in TimeTravel::Host.
    std::function<void()> stopped;               ///< the core has stopped, for any reason
};

/// GDB on a system: the server and the handling of its packets. While the core is halted, its
/// thread waits for packets, so simulated time does not advance; while it runs, only incoming
/// packets cost time.
class Debugger : private Target {
public:
    /// Construct before the simulation starts. Throws std::runtime_error if the port is not
    /// available. Counts the debugger's writes in `interventions`.
    Debugger(const MachineView& machine, CoreStops& stops, ScriptRuns& scripts, Monitor& monitor,
             LoadedProgram& program, Interventions& interventions, const Options& options,
             RunHooks hooks);

    /// Halts at the next opportunity; false: no debugger is connected.
    bool halt_for_script();

    [[nodiscard]] std::uint16_t port() const { return server_->port(); }
    [[nodiscard]] TimeTravel& travel() { return travel_; }
    /// Halts at the core's position and waits for a debugger; must be called while the core is
    /// stopped.
    void wait_here() { wait_for_start_ = true; }
    /// Makes a checkpoint at the core's position; must be called while it is stopped.
    void want_checkpoint() { travel_.want_checkpoint(); }
    /// The core has stopped, for any reason.
    void core_stopped();

    /// Reports a deadlock, explained by `message`: the debugger may still inspect the system.
    void stalled(const std::string& message);
    /// The program has ended.
    void ended(int code, const std::string& failure);

private:
    /// Requests the kernel's attention from another thread.
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

    /// Writes a component's register; returns nothing if there is none at the address.
    std::optional<bool> poke_register(std::uint32_t address, std::span<const std::uint8_t> data);
    void changed();
    static void warn_on_terminal(const std::string& text);
    std::size_t read_word_part(std::uint32_t address, std::span<std::uint8_t> data);
    bool must_halt();
    bool halts_for_events();
    [[nodiscard]] std::string stop_reply();
    void forget_client();
    void report_stop(const std::string& reply);
    void serve();
    bool handle_packet(const std::string& packet);
    bool act(const Action& action);
    bool go_on(const Action& action);
    void kill();
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

    std::string stop_; // the latest stop reply
    bool connected_ = false;
    bool killed_ = false;
    bool may_run_ = false; // killed but still present: the program may be started again
    bool wait_for_start_;
    bool monitor_runs_ = false; // the reply to a monitor command follows at the next stop
    bool idle_reached_ = false;
    bool script_halts_ = false;
    bool over_ = false;              // the run has ended
    std::unique_ptr<Server> server_; // last: its thread uses the members above
};

} // namespace levee::debug
