// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/debugger.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>
#include <vector>

namespace levee::debug {

namespace {

constexpr std::size_t console_bytes = 1024; // maximum number of characters of console output in one
                                            // packet
constexpr const char* foreign = "closed a connection to the --gdb port that did not use the "
                                "debugger's protocol; others like it are closed silently";
constexpr const char* killed = "killed by the debugger";
constexpr const char* left = "ended, since its debugger left (--gdb-once)";

} // namespace

/// Prints a warning on the run's terminal, not on the debugger's.
void Debugger::warn_on_terminal(const std::string& text)
{
    if (const auto logger = spdlog::get("platform"))
        logger->clone("gdb")->warn("{}", text);
}

Debugger::Debugger(const MachineView& machine, CoreStops& stops, ScriptRuns& scripts,
                   Monitor& monitor, LoadedProgram& program, Interventions& interventions,
                   const Options& options, RunHooks hooks)
    : machine_(machine), interventions_(interventions), core_(machine.system().core()),
      attention_(core_), stops_(stops), scripts_(scripts),
      control_(core_, stops, machine.system().bus(), machine.system().initiators()),
      monitor_(monitor), program_(program), session_(*this), hooks_(std::move(hooks)),
      travel_(core_, stops, control_, travel_host()), stop_(std::string("T05") + thread_suffix),
      wait_for_start_(options.wait), once_(options.once),
      server_(std::make_unique<Server>(options.port, [this] { attention_.call(); }))
{
    control_.on_stop([this] { core_stopped(); });
    monitor_.on_idle = [this] {
        idle_reached_ = true;
        core_.request_stop();
    };
    if (wait_for_start_)
        core_.request_stop();
}

/// Runs in the core's thread; simulated time does not advance until it returns. Does nothing if the
/// event that caused the stop has already been handled.
void Debugger::core_stopped()
{
    stops_.stopped();
    scripts_.core_stopped();
    hooks_.stopped();
    const TimeTravel::Stop stop = travel_.stopped();
    if (stop == TimeTravel::Stop::Ordinary) {
        if (must_halt())
            serve();
        return;
    }
    if (stop == TimeTravel::Stop::GoesOn) {
        if (!halts_for_events())
            return;
        travel_.give_up();
    } else {
        print(travel_.take_text());
        const std::string reply = travel_.take_reply();
        monitor_runs_ = reply.empty();
        report_stop(reply.empty() ? std::string("T05") + thread_suffix : reply);
    }
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

/// Returns the reply to send if the core itself has a reason to stop, such as a breakpoint;
/// otherwise an empty text.
std::string Debugger::stop_reply()
{
    if (const auto hit = control_.take_hit()) {
        print(access_text(*hit));
        return debug::stop_reply(*hit);
    }
    if (const auto kind = control_.breakpoint_at(core_.hart().pc());
        kind && !core_.hart().sleeping())
        return debug::stop_reply(*kind);
    if (control_.step_done() || std::exchange(idle_reached_, false) ||
        std::exchange(script_halts_, false))
        return std::string("T05") + thread_suffix;
    return {};
}

bool Debugger::halts_for_events()
{
    while (const auto event = server_->poll()) {
        switch (event->kind) {
        case ServerEvent::Kind::Connected:
            take_client();
            stop_ = std::string("T05") + thread_suffix;
            return true;
        case ServerEvent::Kind::Interrupt:
            report_stop(std::string("T02") + thread_suffix);
            return true;
        case ServerEvent::Kind::Packet:
        case ServerEvent::Kind::Malformed:
            server_->send(error_malformed); // packets are refused while the core runs
            break;
        case ServerEvent::Kind::Closed:
            travel_.give_up();
            lose_client();
            break;
        case ServerEvent::Kind::Foreign:
            warn_on_terminal(foreign);
            break;
        }
    }
    return false;
}

bool Debugger::halt_for_script()
{
    script_halts_ = connected_;
    if (connected_)
        core_.request_stop();
    return connected_;
}

void Debugger::take_client()
{
    connected_ = true;
    if (once_) // with --gdb-once, the run ends when its debugger leaves, so it ignores the SIGTERM
               // of `levee debug`, which is for runs that no debugger has joined
        std::signal(SIGTERM, SIG_IGN);
}

/// Called when the debugger of a running core has detached, or when the connection to it was lost.
void Debugger::lose_client()
{
    forget_client();
    control_.run_free();
    if (once_)
        kill(left);
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
        server_->send(reply);
        return;
    }
    if (const auto waited = monitor_.take_wait())
        print("stopped before " + *waited + " was idle\n");
    monitor_.stop_waiting();
    print(monitor_.run("time"));
    server_->send("OK");
}

/// Serves packets until a packet makes the core continue. After the run, serves them until the
/// session ends.
void Debugger::serve()
{
    for (;;) {
        const ServerEvent event = server_->wait();
        switch (event.kind) {
        case ServerEvent::Kind::Connected:
            take_client();
            break;
        case ServerEvent::Kind::Closed:
            forget_client();
            if (may_run_ || (once_ && !over_))
                kill(may_run_ ? killed : left);
            if (over_ || killed_)
                return;
            break;
        case ServerEvent::Kind::Interrupt:
            break; // no effect: the core is already halted
        case ServerEvent::Kind::Malformed:
            server_->send(error_malformed);
            break;
        case ServerEvent::Kind::Foreign:
            warn_on_terminal(foreign);
            break;
        case ServerEvent::Kind::Packet:
            if (handle_packet(event.text))
                return;
            break;
        }
    }
}

/// Returns true if the core must continue.
bool Debugger::handle_packet(const std::string& packet)
{
    const Answer answer = session_.handle(packet, stop_);
    if (answer.reply)
        server_->send(*answer.reply);
    if (answer.no_acks)
        server_->stop_acks();
    return act(answer.action);
}

bool Debugger::act(const Action& action)
{
    switch (action.kind) {
    case Action::Kind::None:
        return false;
    case Action::Kind::Continue:
    case Action::Kind::Step:
    case Action::Kind::StepRange:
        return go_on(action);
    case Action::Kind::StepBack:
    case Action::Kind::ContinueBack:
        // go_back() returns only if the run cannot go back.
        report_stop(travel_.go_back(action.kind == Action::Kind::StepBack));
        return false;
    case Action::Kind::Detach:
        lose_client();
        return true;
    case Action::Kind::Kill:
        kill(killed);
        return true;
    case Action::Kind::KillToRun:
        may_run_ = true;
        return false;
    case Action::Kind::Run:
        run_anew(action.command);
        return false;
    case Action::Kind::Monitor:
        return run_monitor(action.command);
    }
    return false;
}

/// Resumes the core, after making a checkpoint if necessary. Returns false if a stop was reported
/// instead. A copy of the process that was just woken ignores `action`; its core runs to the
/// position for which the copy was woken.
bool Debugger::go_on(const Action& action)
{
    if (const auto due = control_.at_once(action.kind != Action::Kind::Continue)) {
        print(due->text);
        report_stop(due->reply);
        return false;
    }
    if (const std::string text = program_.going_on(); !text.empty()) {
        print(text);
        warn_on_terminal(text.substr(0, text.size() - 1));
    }
    try {
        if (travel_.before_going_on())
            return true;
    } catch (const std::runtime_error& error) {
        print(std::string("no earlier state can be restored: ") + error.what() + "\n");
    }
    if (action.kind == Action::Kind::Continue)
        control_.run_free();
    else if (action.kind == Action::Kind::Step)
        control_.step();
    else
        control_.step_range(action.range_begin, action.range_end);
    return true;
}

void Debugger::kill(const char* why)
{
    killed_ = true;
    hooks_.kill(why);
}

/// Starts the program again. Returns only if the run is at its start, or if `file` does not
/// exist.
void Debugger::run_anew(const std::string& file)
{
    may_run_ = false;
    std::error_code ignored;
    const auto path = std::filesystem::absolute(file, ignored);
    if (!file.empty() && !std::filesystem::is_regular_file(path, ignored)) {
        warn_on_terminal(path.string() + ": there is no such file");
        return server_->send(error_invalid);
    }
    const std::string name = file.empty() ? "" : path.string();
    travel_.run_anew(name);
    if (!name.empty())
        load(name);
    report_stop(std::string("T05") + thread_suffix);
}

void Debugger::load(const std::string& file)
{
    if (const std::string wrong = program_.load(file); !wrong.empty())
        warn_on_terminal(wrong);
    changed();
}

/// Returns the functions that hand over the debugger's connection and the run's text from one
/// process to another.
TimeTravel::Host Debugger::travel_host()
{
    TimeTravel::Host host;
    host.suspend = [this] {
        server_->pause();
        return server_->handles();
    };
    host.resume = [this] { server_->resume(); };
    host.carry_on = [this](const Server::Handles& handles, int life) {
        (void)server_.release(); // the sockets now belong to the other process, so they are not
                                 // closed here
        server_ = std::make_unique<Server>(handles, life, [this] { attention_.call(); });
        connected_ = handles.client >= 0;
        monitor_.stop_waiting();
        idle_reached_ = script_halts_ = over_ = wait_for_start_ = monitor_runs_ = false;
    };
    host.share_text = hooks_.share_text;
    host.text_bytes = hooks_.text_bytes;
    host.record = hooks_.record;
    host.load = [this](const std::string& file) { load(file); };
    return host;
}

void Debugger::print(const std::string& text)
{
    for (std::size_t at = 0; at < text.size(); at += console_bytes)
        server_->send("O" + to_hex(std::string_view(text).substr(at, console_bytes)));
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
    // Converts the exit code. GDB reads only one byte, and 0 means success, so a code whose lowest
    // byte is 0 is reported as 1.
    const auto status = static_cast<std::uint8_t>(code != 0 && code % 256 == 0 ? 1 : code);
    server_->send("W" + to_hex(std::span(&status, 1)));
}

} // namespace levee::debug
