// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/monitor.hpp"

#include "ip/sync/regs.h"
#include "platform/input/config/error.hpp"
#include "platform/observe/trace/operation_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <sstream>

namespace levee::debug {

namespace {

constexpr const char* help_text =
    "monitor help                  this text\n"
    "monitor blocks                all components with registers, and what they do\n"
    "monitor BLOCK                 a component's queue, registers by name, and counters\n"
    "monitor clint, plic or uart   a peripheral's registers by name\n"
    "monitor sync                  the sync counters, and who waits for them\n"
    "monitor time                  simulated time, cycles and instructions\n"
    "monitor until BLOCK idle      run until the block has nothing left to do\n"
    "monitor memory ADDRESS LENGTH bytes at an address as the accelerators see it (64 bits)\n";

constexpr std::uint64_t longest_dump = 4096;
constexpr std::size_t line_bytes = 16;

template <typename... Values> std::string format(const char* pattern, Values... values)
{
    std::array<char, 256> text{};
    std::snprintf(text.data(), text.size(), pattern, values...);
    return text.data();
}

std::vector<std::string> split(const std::string& text)
{
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return words;
}

/// Decimal, or hexadecimal with 0x.
std::optional<std::uint64_t> parse(std::string word)
{
    word.erase(std::remove(word.begin(), word.end(), '_'), word.end());
    const bool hex = word.starts_with("0x");
    const char* const begin = word.data() + (hex ? 2 : 0);
    const char* const end = word.data() + word.size();
    std::uint64_t value = 0;
    const auto result = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (result.ec != std::errc{} || result.ptr != end)
        return std::nullopt;
    return value;
}

std::string figure(const Stats::Value& value)
{
    if (const auto* count = std::get_if<std::uint64_t>(&value))
        return std::to_string(*count);
    return format("%.9g", std::get<double>(value));
}

} // namespace

Monitor::Monitor(System& system, const SystemPlan& plan) : system_(system), plan_(plan)
{
    for (std::size_t i = 0; i < plan_.components.size(); ++i) {
        CommandQueue* const queue = system_.components()[i].queue;
        queues_.push_back(queue != nullptr ? std::make_unique<QueueView>(*queue) : nullptr);
        if (!queues_.back())
            continue;
        queues_.back()->on_idle = [this, i] {
            if (waited_ != i)
                return;
            waited_.reset();
            on_idle();
        };
    }
}

std::string Monitor::run(const std::string& command)
{
    const std::vector<std::string> words = split(command);
    if (words.empty() || words[0] == "help")
        return help_text;
    if (words[0] == "until")
        return until(words);
    if (words[0] == "memory")
        return memory(words);
    const auto index = find(words[0]);
    if (words.size() > 1)
        return "'" + command + "': expected nothing behind '" + words[0] + "'\n";
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

std::string Monitor::unknown(const std::string& word) const
{
    std::vector<std::string> known{"help", "blocks", "sync", "time", "until", "memory"};
    for (const System::Peripheral& peripheral : system_.peripherals())
        known.emplace_back(peripheral.name);
    for (const PlannedComponent& planned : plan_.components)
        if (std::find(known.begin(), known.end(), planned.name) == known.end())
            known.push_back(planned.name);
    return "unknown command or block '" + word + "'" + config::suggestion(word, known) +
           "; 'monitor help' lists them\n";
}

std::optional<std::size_t> Monitor::find(const std::string& name) const
{
    for (std::size_t i = 0; i < plan_.components.size(); ++i)
        if (plan_.components[i].name == name)
            return i;
    return std::nullopt;
}

std::string Monitor::blocks() const
{
    std::string text;
    for (std::size_t i = 0; i < plan_.components.size(); ++i) {
        const PlannedComponent& planned = plan_.components[i];
        if (planned.registers == 0)
            continue;
        const char* const state = !queues_[i]                ? ""
                                  : queues_[i]->idle()       ? "idle"
                                  : !queues_[i]->executing() ? "stopped"
                                  : queues_[i]->running()    ? "running"
                                                             : "waiting";
        text += format("%-12s %-6s registers 0x%08x  interrupt %2u  %s\n", planned.name.c_str(),
                       planned.declaration().type, planned.registers, planned.irq, state);
    }
    return text.empty() ? "this system has no blocks\n" : text;
}

std::string Monitor::queue(std::size_t index) const
{
    const QueueView& view = *queues_[index];
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
        const auto now = counter(which);
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
    if (queues_[index])
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

std::optional<std::uint32_t> Monitor::counter(std::uint32_t index) const
{
    for (const Component& component : system_.components())
        if (component.counters != nullptr)
            for (const Register& reg : component.register_file->registers())
                if (reg.offset == LEVEE_SYNC_VALUE(index) && reg.read)
                    return reg.value();
    return std::nullopt;
}

std::string Monitor::sync() const
{
    std::string text;
    std::uint32_t zeros = 0;
    for (std::uint32_t i = 0; i < LEVEE_SYNC_MAX_COUNTERS; ++i) {
        const auto value = counter(i);
        if (!value)
            break;
        if (*value == 0)
            ++zeros;
        else
            text += format("counter %2u  %u\n", i, *value);
    }
    if (zeros != 0)
        text += format("%u counters are zero\n", zeros);
    for (std::size_t i = 0; i < queues_.size(); ++i)
        if (queues_[i] && queues_[i]->executing() && queues_[i]->descriptor() &&
            !queues_[i]->running())
            text += plan_.components[i].name + " " + queue(i);
    return text.empty() ? "this system has no sync unit\n" : text;
}

std::string Monitor::time() const
{
    const std::uint64_t ps = sc_core::sc_time_stamp().value();
    return format("%" PRIu64 ".%06" PRIu64 " us of simulated time, %" PRIu64 " cycles, %" PRIu64
                  " instructions\n",
                  ps / 1'000'000, ps % 1'000'000, system_.core().cycles(),
                  system_.core().instructions());
}

std::string Monitor::memory(const std::vector<std::string>& words) const
{
    const auto address = words.size() == 3 ? parse(words[1]) : std::nullopt;
    const auto length = words.size() == 3 ? parse(words[2]) : std::nullopt;
    if (!address || !length || *length == 0 || *length > longest_dump)
        return format("expected monitor memory ADDRESS LENGTH, of 1 to %" PRIu64 " bytes\n",
                      longest_dump);
    std::vector<std::uint8_t> bytes(*length);
    tlm::tlm_generic_payload payload;
    payload.set_command(tlm::TLM_READ_COMMAND);
    payload.set_address(*address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(static_cast<unsigned>(bytes.size()));
    payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
    bytes.resize(system_.core().bus->transport_dbg(payload));
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
    const auto index = find(words[1]);
    if (!index)
        return unknown(words[1]);
    if (!queues_[*index])
        return words[1] + " executes no descriptors: it is never busy\n";
    if (queues_[*index]->idle())
        return words[1] + " is idle\n";
    waited_ = index;
    return "until " + words[1] + " is idle\n";
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
