// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/machine/assembly/system.hpp"
#include "platform/observe/debug/monitor.hpp"
#include "platform/observe/debug/run_control.hpp"
#include "platform/observe/debug/server.hpp"
#include "platform/observe/debug/session.hpp"
#include "platform/observe/debug/target.hpp"

#include <systemc>

#include <cstdint>
#include <functional>
#include <string>

namespace levee::debug {

struct Options {
    std::uint16_t port = 0; ///< 0: any free port
    bool wait = true;       ///< the program starts when a debugger resumes it
};

/// GDB on a system: the server and the handling of its packets. While the core is halted, its
/// thread waits for packets, so simulated time does not advance; while it runs, only incoming
/// packets cost time.
class Debugger : private Target {
public:
    /// Construct before the simulation starts. `kill` ends the run. Throws std::runtime_error if
    /// the port is not available.
    Debugger(System& system, const SystemPlan& plan, const Options& options,
             std::function<void()> kill);

    [[nodiscard]] std::uint16_t port() const { return server_.port(); }

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
    void add_point(const Point& point) override { control_.add(point); }
    void remove_point(const Point& point) override { control_.remove(point); }
    void remove_all_points() override { control_.remove_all(); }

    std::size_t read_word_part(std::uint32_t address, std::span<std::uint8_t> data);
    void core_stopped();
    bool must_halt();
    bool halts_for_events();
    [[nodiscard]] std::string stop_reply();
    void forget_client();
    void report_stop(const std::string& reply);
    void serve();
    bool handle_packet(const std::string& packet);
    bool act(const Action& action);
    bool monitor(const std::string& command);
    void print(const std::string& text);

    riscv::Core& core_;
    Attention attention_;
    RunControl control_;
    Monitor monitor_;
    Session session_;
    std::function<void()> kill_;

    std::string stop_; // the latest stop reply
    bool connected_ = false;
    bool killed_ = false;
    bool wait_for_start_;
    bool monitor_runs_ = false; // the reply to a monitor command is due at the next stop
    bool idle_reached_ = false;
    bool over_ = false; // the run has ended
    Server server_;     // last: its thread uses the members above
};

} // namespace levee::debug
