// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/monitor.hpp"

#include "core/config/error.hpp"
#include "ip/sync/regs.h"
#include "platform/observe/debug/descriptors.hpp"
#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <cinttypes>

namespace levee::debug {

namespace {

constexpr const char* help_text =
    "monitor help                  this text\n"
    "monitor blocks                all components with registers, and their states\n"
    "monitor BLOCK                 a component's queue, registers by name, and counters\n"
    "monitor clint, plic or uart   a peripheral's registers by name\n"
    "monitor descriptors [BLOCK]   contents of queues: fields by name, waits, submitter\n"
    "monitor sync                  the sync counters, and the blocks that wait for them\n"
    "monitor time                  simulated time, cycles and instructions\n"
    "monitor until BLOCK idle      run until the block has nothing left to do\n"
    "monitor BLOCK.REGISTER [= N]  reads or writes a register of a block or of the core\n"
    "monitor set WHAT = VALUE      WHAT: BLOCK.REGISTER, counter N, word ADDRESS, memory ADDRESS\n"
    "monitor flip WHAT bit N       inverts bit N of WHAT\n"
    "monitor checkpoint            makes a checkpoint at this position\n"
    "monitor checkpoint every TIME makes checkpoints at intervals; never: stops this\n"
    "monitor checkpoints           lists all checkpoints\n"
    "monitor restart N             goes back to checkpoint N\n"
    "monitor script FILE           starts a script of such commands\n"
    "monitor program FILE          the ELF file of a program that the debugger loads\n"
    "monitor memory ADDRESS LENGTH bytes at an address as the accelerators see it (64 bits)\n";

constexpr std::uint64_t longest_dump = 4096;
constexpr std::size_t line_bytes = 16;

std::string figure(const Stats::Value& value)
{
    if (const auto* count = std::get_if<std::uint64_t>(&value))
        return std::to_string(*count);
    return format("%.9g", std::get<double>(value));
}

} // namespace

Monitor::Monitor(const MachineView& machine, ScriptRuns& scripts, LoadedProgram& program,
                 Interventions& interventions)
    : machine_(machine), scripts_(scripts), program_(program), interventions_(interventions),
      system_(machine.system()), plan_(machine.plan())
{
    for (std::size_t i = 0; i < plan_.components.size(); ++i) {
        if (machine_.queue(i) == nullptr)
            continue;
        machine_.queue(i)->on_idle = [this, i] {
            if (waited_ != i)
                return;
            waited_.reset();
            if (on_idle)
                on_idle();
        };
    }
}

std::string Monitor::run(const std::string& command)
{
    const std::vector<std::string> words = words_of(command);
    if (words.empty() || words[0] == "help")
        return help_text;
    if (words[0] == "until")
        return until(words);
    if (words[0] == "memory")
        return memory(words);
    if (const auto text = poke(words))
        return *text;
    if (words[0] == "script" && words.size() == 2)
        return script(words[1]);
    if (words[0] == "program" && words.size() == 2)
        return program_.use(words[1]);
    if (words[0] == "descriptors")
        return descriptors(words);
    const auto index = machine_.find(words[0]);
    if (words.size() > 1)
        return "'" + command + "': expected nothing after '" + words[0] + "'\n";
    if (words[0] == "blocks")
        return blocks();
    if (words[0] == "sync")
        return sync();
    if (words[0] == "time")
        return time();
    if (index)
        return block(*index);
    const auto text = peripheral(words[0]);
    return text ? *text : unknown(words[0]);
}

std::optional<std::string> Monitor::poke(std::vector<std::string> words)
{
    const bool names_register = words[0].find('.') != std::string::npos;
    if (words[0] != "set" && words[0] != "flip" && !names_register)
        return std::nullopt;
    try {
        if (names_register && words.size() == 1) {
            const std::uint32_t value = value_of(machine_, parse_register(machine_, words[0]));
            return words[0] + format(" = 0x%08x  %u\n", value, value);
        }
        if (names_register)
            words.insert(words.begin(), "set");
        const std::string done = make(machine_, parse_poke(machine_, words));
        ++interventions_.by_debugger;
        return done + "\n";
    } catch (const PokeError& error) {
        return std::string(error.what()) + "\n";
    }
}

std::string Monitor::script(const std::string& file)
{
    try {
        scripts_.start(read_script(machine_, file));
        return file + " is active from here on\n";
    } catch (const config::Error& error) {
        return std::string(error.what()) + "\n";
    }
}

std::string Monitor::unknown(const std::string& word) const
{
    std::vector<std::string> known{"help",  "blocks", "descriptors", "sync", "time",
                                   "until", "memory", "set",         "flip", "script"};
    for (const System::Peripheral& peripheral : system_.peripherals())
        known.emplace_back(peripheral.name);
    for (const PlannedComponent& planned : plan_.components)
        if (std::find(known.begin(), known.end(), planned.name) == known.end())
            known.push_back(planned.name);
    return "unknown command or block '" + word + "'" + config::suggestion(word, known) +
           "; 'monitor help' lists them\n";
}

std::string Monitor::blocks() const
{
    std::string text;
    for (std::size_t i = 0; i < plan_.components.size(); ++i) {
        const PlannedComponent& planned = plan_.components[i];
        if (planned.registers == 0)
            continue;
        const QueueView* const queue = machine_.queue(i);
        const char* const state = queue == nullptr      ? ""
                                  : queue->idle()       ? "idle"
                                  : !queue->executing() ? "stopped"
                                  : queue->running()    ? "running"
                                                        : "waiting";
        text += format("%-12s %-6s registers 0x%08x  interrupt %2u  %s\n", planned.name.c_str(),
                       planned.declaration().type, planned.registers, planned.irq, state);
    }
    return text.empty() ? "this system has no blocks\n" : text;
}

std::string Monitor::queue(std::size_t index) const
{
    const QueueView& view = *machine_.queue(index);
    if (view.idle())
        return "queue: idle\n";
    std::string text = "queue: " + std::to_string(view.waiting()) + " descriptors wait";
    if (!view.executing())
        return text + ", none is being executed\n";
    if (!view.descriptor())
        return text + " behind one that is being fetched\n";
    const levee_descriptor& descriptor = *view.descriptor();
    const std::string name =
        trace::operation_name(system_.components()[index].queue->declaration(), descriptor);
    text += format(" behind %s with tag %u, which is %s\n", name.c_str(),
                   static_cast<unsigned>(descriptor.tag), view.running() ? "running" : "waiting");
    if (view.running())
        return text;
    for (std::size_t i = 0; i < std::size(descriptor.wait_counter); ++i) {
        const std::uint32_t which = descriptor.wait_counter[i];
        if (which == LEVEE_NO_COUNTER)
            continue;
        const auto now = machine_.counter(which);
        text += format("  for counter %u to reach %u; it is %u\n", which,
                       static_cast<unsigned>(descriptor.wait_value[i]), now.value_or(0));
    }
    return text;
}

std::string Monitor::registers(std::uint32_t base, const RegisterFile& file)
{
    std::string text = "registers\n";
    for (const Register& reg : file.registers()) {
        if (!reg.read)
            continue;
        const std::uint32_t value = reg.value();
        text += format("  0x%08x  %-16s 0x%08x  %u\n", base + reg.offset, reg.name.c_str(), value,
                       value);
    }
    return text;
}

std::optional<std::string> Monitor::peripheral(const std::string& name) const
{
    for (const System::Peripheral& peripheral : system_.peripherals())
        if (peripheral.name == name)
            return name + "\n" + registers(peripheral.base, *peripheral.registers);
    return std::nullopt;
}

std::string Monitor::block(std::size_t index) const
{
    const Component& block = system_.components()[index];
    const PlannedComponent& planned = plan_.components[index];
    std::string text = planned.name + " (" + planned.type->name() + ")\n";
    if (machine_.queue(index) != nullptr)
        text += queue(index);
    if (block.register_file != nullptr)
        text += registers(planned.registers, *block.register_file);
    if (!block.report)
        return text;
    Stats stats;
    block.report(stats);
    text += "counters\n";
    for (const auto& [name, value] : stats.figures())
        text += "  " + name + " " + figure(value) + "\n";
    return text;
}

std::string Monitor::sync() const
{
    std::string text;
    std::uint32_t zeros = 0;
    for (std::uint32_t i = 0; i < LEVEE_SYNC_MAX_COUNTERS; ++i) {
        const auto value = machine_.counter(i);
        if (!value)
            break;
        if (*value == 0)
            ++zeros;
        else
            text += format("counter %2u  %u\n", i, *value);
    }
    if (zeros != 0)
        text += format("%u counters are zero\n", zeros);
    for (std::size_t i = 0; i < plan_.components.size(); ++i) {
        const QueueView* const view = machine_.queue(i);
        if (view != nullptr && view->executing() && view->descriptor() && !view->running())
            text += plan_.components[i].name + " " + queue(i);
    }
    return text.empty() ? "this system has no sync unit\n" : text;
}

std::string Monitor::time() const
{
    return microseconds(now_ps()) + format(" of simulated time, %" PRIu64 " cycles, %" PRIu64
                                           " instructions\n",
                                           system_.core().cycles(), system_.core().instructions());
}

std::string Monitor::memory(const std::vector<std::string>& words) const
{
    const auto address = words.size() == 3 ? parse_number(words[1]) : std::nullopt;
    const auto length = words.size() == 3 ? parse_number(words[2]) : std::nullopt;
    if (!address || !length || *length == 0 || *length > longest_dump)
        return format("expected monitor memory ADDRESS LENGTH, with LENGTH from 1 to %" PRIu64
                      " bytes\n",
                      longest_dump);
    std::vector<std::uint8_t> bytes(*length);
    bytes.resize(machine_.read(*address, bytes));
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += line_bytes) {
        text += format("0x%012" PRIx64 " ", *address + at);
        for (std::size_t i = at; i < std::min(at + line_bytes, bytes.size()); ++i)
            text += format(" %02x", unsigned{bytes[i]});
        text += '\n';
    }
    if (bytes.size() < *length)
        text += format("nothing can be read at 0x%" PRIx64 "\n", *address + bytes.size());
    return text;
}

std::string Monitor::until(const std::vector<std::string>& words)
{
    if (words.size() != 3 || words[2] != "idle")
        return "expected monitor until BLOCK idle\n";
    const auto index = machine_.find(words[1]);
    if (!index)
        return unknown(words[1]);
    if (machine_.queue(*index) == nullptr)
        return words[1] + " executes no descriptors: it is never busy\n";
    if (machine_.queue(*index)->idle())
        return words[1] + " is idle\n";
    waited_ = index;
    return "until " + words[1] + " is idle\n";
}

std::string Monitor::descriptors(const std::vector<std::string>& words) const
{
    if (words.size() > 2)
        return "expected monitor descriptors [BLOCK]\n";
    if (words.size() == 1)
        return all_descriptors(machine_);
    const auto index = machine_.find(words[1]);
    return index ? descriptors_of(machine_, *index) : unknown(words[1]);
}

std::optional<std::string> Monitor::take_wait()
{
    return waited_ ? std::optional(plan_.components[*waited_].name) : std::nullopt;
}

void Monitor::stop_waiting()
{
    waited_.reset();
}

} // namespace levee::debug
