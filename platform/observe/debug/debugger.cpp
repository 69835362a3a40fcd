// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/debugger.hpp"

#include "platform/observe/debug/registers.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace levee::debug {

namespace {

constexpr std::size_t console_bytes = 1024; // of text in one packet
constexpr std::uint32_t word_bytes = 4;
constexpr const char* thread_suffix = "thread:1;";

std::string watch_reply(const WatchHit& hit)
{
    const char* const kind = hit.point.kind == PointKind::Write  ? "watch"
                             : hit.point.kind == PointKind::Read ? "rwatch"
                                                                 : "awatch";
    return std::string("T05") + kind + ":" + number(hit.address) + ";" + thread_suffix;
}

} // namespace

Debugger::Debugger(System& system, const SystemPlan& plan, const Options& options,
                   std::function<void()> kill)
    : core_(system.core()), attention_(core_),
      control_(system.core(), system.bus(), system.initiators()), monitor_(system, plan),
      session_(*this), kill_(std::move(kill)), stop_(std::string("T05") + thread_suffix),
      wait_for_start_(options.wait), server_(options.port, [this] { attention_.call(); })
{
    control_.on_stop([this] { core_stopped(); });
    monitor_.on_idle = [this] {
        idle_reached_ = true;
        core_.request_stop();
    };
    if (wait_for_start_)
        core_.request_stop();
}

std::optional<std::uint32_t> Debugger::read_register(std::uint32_t index)
{
    riscv::Hart& hart = core_.hart();
    if (index < register_pc)
        return hart.reg(index);
    if (index == register_pc)
        return hart.pc();
    if (index >= register_first_csr && index < register_first_csr + csr_count)
        return hart.read_csr(index - register_first_csr);
    return std::nullopt;
}

bool Debugger::write_register(std::uint32_t index, std::uint32_t value)
{
    riscv::Hart& hart = core_.hart();
    if (index < register_pc)
        hart.set_reg(index, value);
    else if (index == register_pc)
        hart.set_pc(value);
    else
        return index >= register_first_csr && index < register_first_csr + csr_count &&
               hart.write_csr(index - register_first_csr, value);
    return true;
}

std::size_t Debugger::read_memory(std::uint32_t address, std::span<std::uint8_t> data)
{
    std::size_t done = 0;
    while (done < data.size()) {
        const auto at = static_cast<std::uint32_t>(address + done);
        const auto rest = data.subspan(done);
        std::size_t got = core_.debug_read(at, rest);
        if (got == 0)
            got = read_word_part(at, rest);
        if (got == 0)
            break;
        done += got;
    }
    return done;
}

/// Registers are read by whole words; a debugger may ask for any part of one.
std::size_t Debugger::read_word_part(std::uint32_t address, std::span<std::uint8_t> data)
{
    std::array<std::uint8_t, word_bytes> word{};
    const std::uint32_t skip = address % word_bytes;
    if (core_.debug_read(address - skip, word) != word_bytes)
        return 0;
    const std::size_t bytes = std::min<std::size_t>(word_bytes - skip, data.size());
    std::copy_n(word.begin() + skip, bytes, data.begin());
    return bytes;
}

bool Debugger::write_memory(std::uint32_t address, std::span<const std::uint8_t> data)
{
    std::vector<std::uint8_t> there(data.size());
    if (read_memory(address, there) != data.size())
        return false;
    std::size_t done = 0;
    while (done < data.size()) {
        const std::size_t written =
            core_.debug_write(static_cast<std::uint32_t>(address + done), data.subspan(done));
        if (written == 0)
            return false;
        done += written;
    }
    return true;
}

/// In the core's thread; simulated time stands still until it returns. A stop without a reason, for
/// an event that has been dealt with, changes nothing.
void Debugger::core_stopped()
{
    if (must_halt())
        serve();
}

bool Debugger::must_halt()
{
    if (std::exchange(wait_for_start_, false))
        return true;
    const std::string reply = stop_reply();
    if (reply.empty())
        return halts_for_events();
    report_stop(reply);
    return true;
}

/// Why the core itself has stopped; empty if it has not.
std::string Debugger::stop_reply()
{
    if (const auto& hit = control_.hit()) {
        if (!hit->by.empty())
            print("0x" + number(hit->address) + (hit->write ? " written by " : " read by ") +
                  hit->by + "\n");
        return watch_reply(*hit);
    }
    if (const auto kind = control_.breakpoint_at(core_.hart().pc());
        kind && !core_.hart().sleeping())
        return std::string("T05") + (*kind == PointKind::Hardware ? "hwbreak:;" : "swbreak:;") +
               thread_suffix;
    if (control_.step_done() || std::exchange(idle_reached_, false))
        return std::string("T05") + thread_suffix;
    return {};
}

bool Debugger::halts_for_events()
{
    while (const auto event = server_.poll()) {
        switch (event->kind) {
        case ServerEvent::Kind::Connected:
            connected_ = true;
            stop_ = std::string("T05") + thread_suffix;
            return true;
        case ServerEvent::Kind::Interrupt:
            report_stop(std::string("T02") + thread_suffix);
            return true;
        case ServerEvent::Kind::Packet:
        case ServerEvent::Kind::Malformed:
            server_.send(error_malformed); // nothing is asked of a core that runs
            break;
        case ServerEvent::Kind::Closed:
            forget_client();
            control_.run_free();
            break;
        }
    }
    return false;
}

void Debugger::forget_client()
{
    connected_ = false;
    control_.remove_all();
    monitor_.stop_waiting();
    monitor_runs_ = false;
}

void Debugger::report_stop(const std::string& reply)
{
    stop_ = reply;
    if (!std::exchange(monitor_runs_, false)) {
        server_.send(reply);
        return;
    }
    if (const auto waited = monitor_.take_wait())
        print("stopped before " + *waited + " is idle\n");
    monitor_.stop_waiting();
    print(monitor_.run("time"));
    server_.send("OK");
}

/// Until a packet lets the core go on, or the session of a run that is over ends.
void Debugger::serve()
{
    for (;;) {
        const ServerEvent event = server_.wait();
        switch (event.kind) {
        case ServerEvent::Kind::Connected:
            connected_ = true;
            break;
        case ServerEvent::Kind::Closed:
            forget_client();
            if (over_)
                return;
            break;
        case ServerEvent::Kind::Interrupt:
            break; // it is halted
        case ServerEvent::Kind::Malformed:
            server_.send(error_malformed);
            break;
        case ServerEvent::Kind::Packet:
            if (handle_packet(event.text))
                return;
            break;
        }
    }
}

/// True if the core is to go on.
bool Debugger::handle_packet(const std::string& packet)
{
    const Answer answer = session_.handle(packet, stop_);
    if (answer.reply)
        server_.send(*answer.reply);
    if (answer.no_acks)
        server_.stop_acks();
    return act(answer.action);
}

bool Debugger::act(const Action& action)
{
    switch (action.kind) {
    case Action::Kind::None:
        return false;
    case Action::Kind::Continue:
        control_.run_free();
        return true;
    case Action::Kind::Step:
        control_.step();
        return true;
    case Action::Kind::StepRange:
        control_.step_range(action.range_begin, action.range_end);
        return true;
    case Action::Kind::Detach:
        forget_client();
        control_.run_free();
        return true;
    case Action::Kind::Kill:
        killed_ = true;
        kill_();
        return true;
    case Action::Kind::Monitor:
        return monitor(action.command);
    }
    return false;
}

bool Debugger::monitor(const std::string& command)
{
    print(monitor_.run(command));
    monitor_runs_ = !over_ && monitor_.take_wait().has_value();
    if (monitor_runs_)
        control_.run_free();
    else
        server_.send("OK");
    return monitor_runs_;
}

void Debugger::print(const std::string& text)
{
    for (std::size_t at = 0; at < text.size(); at += console_bytes)
        server_.send("O" + to_hex(std::string_view(text).substr(at, console_bytes)));
}

void Debugger::stalled(const std::string& message)
{
    if (!connected_)
        return;
    over_ = true;
    print(message + "\n");
    report_stop(std::string("T05") + thread_suffix);
    serve();
}

void Debugger::ended(int code, const std::string& failure)
{
    if (!connected_ || killed_)
        return;
    over_ = true;
    if (monitor_runs_) {
        print("the program has ended\n");
        report_stop(std::string("T05") + thread_suffix);
        serve();
    }
    if (!failure.empty())
        print(failure + "\n");
    const auto status = static_cast<std::uint8_t>(code);
    server_.send("W" + to_hex(std::span(&status, 1)));
}

} // namespace levee::debug
