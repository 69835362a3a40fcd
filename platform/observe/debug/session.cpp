// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/session.hpp"

#include "platform/observe/debug/packet.hpp"
#include "platform/observe/debug/registers.hpp"
#include "platform/observe/debug/session_text.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace levee::debug {

namespace {

constexpr std::uint32_t general_registers = 33;
constexpr std::uint64_t address_space = std::uint64_t{1} << 32;
constexpr std::uint64_t longest_watch = 4096;

std::string word_to_hex(std::uint32_t word)
{
    const std::array<std::uint8_t, 4> bytes{
        static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
        static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 24)};
    return to_hex(bytes);
}

std::optional<std::uint32_t> word_from_hex(std::string_view digits)
{
    const auto bytes = digits.size() == 8 ? bytes_from_hex(digits) : std::nullopt;
    if (!bytes)
        return std::nullopt;
    std::uint32_t word = 0;
    for (std::size_t i = 4; i-- > 0;)
        word = word << 8 | (*bytes)[i];
    return word;
}

std::optional<std::uint32_t> register_index(std::string_view digits)
{
    const auto index = number_from_hex(digits);
    if (!index || *index > UINT32_MAX)
        return std::nullopt;
    return static_cast<std::uint32_t>(*index);
}

bool in_address_space(const Range& range)
{
    return range.address < address_space && range.length <= address_space - range.address;
}

/// Returns whether a thread id means the only thread. The id is 1, 0 (any thread) or -1 (all
/// threads).
bool is_thread(std::string_view id)
{
    const auto number = number_from_hex(id);
    return id == "-1" || (number && *number <= 1); // LLDB writes leading zeros: 0001
}

} // namespace

Answer Session::handle(std::string_view packet, const std::string& stop)
{
    if (packet.empty())
        return reply(error_malformed);
    const std::string_view arguments = packet.substr(1);
    if (auto text = access(packet))
        return reply(*text);
    switch (packet.front()) {
    case '?':
        return reply(arguments.empty() ? stop : error_malformed);
    case '!':
        extended_ = extended_ || arguments.empty();
        return reply(arguments.empty() ? ok : error_malformed);
    case 'H':
        return reply(!arguments.empty() && is_thread(arguments.substr(1)) ? ok : error_malformed);
    case 'T':
        return reply(is_thread(arguments) ? ok : error_malformed);
    case 'c':
    case 'C':
    case 's':
    case 'S':
        return resume(packet);
    case 'b':
        return resume_back(arguments);
    case 'D':
    case 'k':
        return leave(packet);
    case 'q':
        return query(packet);
    case 'Q':
        return set_query(packet);
    case 'v':
        return verbose(packet);
    default:
        return reply("");
    }
}

/// Handles D, by which the debugger detaches, and k, by which it ends the run.
Answer Session::leave(std::string_view packet)
{
    const bool detaches = packet.front() == 'D';
    const std::string_view arguments = packet.substr(1);
    if (!arguments.empty() && !(detaches && arguments.front() == ';'))
        return reply(error_malformed);
    if (detaches)
        return {ok, {Action::Kind::Detach, 0, 0, {}}, false};
    return {std::nullopt, {Action::Kind::Kill, 0, 0, {}}, false};
}

/// Replies to a packet that accesses registers or memory, or that changes breakpoints or
/// watchpoints. Returns nothing for other packets.
std::optional<std::string> Session::access(std::string_view packet)
{
    const std::string_view arguments = packet.substr(1);
    switch (packet.front()) {
    case 'g':
        return arguments.empty() ? read_registers() : error_malformed;
    case 'G':
        return write_registers(arguments);
    case 'p':
        return read_register(arguments);
    case 'P':
        return write_register(arguments);
    case 'm':
        return read_memory(arguments);
    case 'M':
        return write_memory(arguments, false);
    case 'X':
        return write_memory(arguments, true);
    case 'Z':
    case 'z':
        return change_point(packet);
    default:
        return std::nullopt;
    }
}

std::string Session::read_registers()
{
    std::string text;
    for (std::uint32_t i = 0; i < general_registers; ++i)
        text += word_to_hex(target_.read_register(i).value_or(0));
    return text;
}

std::string Session::write_registers(std::string_view digits)
{
    if (digits.size() != 8 * general_registers || !bytes_from_hex(digits))
        return error_malformed;
    for (std::uint32_t i = 0; i < general_registers; ++i)
        target_.write_register(i, *word_from_hex(digits.substr(8 * i, 8)));
    return ok;
}

std::string Session::read_register(std::string_view arguments)
{
    const auto index = register_index(arguments);
    if (!index)
        return error_malformed;
    const auto value = target_.read_register(*index);
    return value ? word_to_hex(*value) : error_no_register;
}

std::string Session::write_register(std::string_view arguments)
{
    const auto index = register_index(take_until(arguments, '='));
    const auto value = word_from_hex(arguments);
    if (!index || !value)
        return error_malformed;
    return target_.write_register(*index, *value) ? ok : error_no_register;
}

std::string Session::read_memory(std::string_view arguments)
{
    const auto range = range_from(arguments);
    if (!range)
        return error_malformed;
    if (!in_address_space(*range))
        return error_memory;
    // A reply may be shorter than requested. Each byte takes two digits.
    std::vector<std::uint8_t> bytes(std::min<std::uint64_t>(range->length, packet_bytes / 2));
    const std::size_t got = target_.read_memory(static_cast<std::uint32_t>(range->address), bytes);
    if (got == 0 && !bytes.empty())
        return error_memory;
    return to_hex(std::span(bytes).first(got));
}

std::string Session::write_memory(std::string_view arguments, bool binary)
{
    const auto range = range_from(take_until(arguments, ':'));
    if (!range)
        return error_malformed;
    std::optional<std::vector<std::uint8_t>> bytes;
    if (!binary)
        bytes = bytes_from_hex(arguments);
    else if (const auto data = unescape(arguments))
        bytes.emplace(data->begin(), data->end());
    if (!bytes || bytes->size() != range->length)
        return error_malformed;
    if (bytes->empty())
        return ok; // GDB sends an empty X packet to find out whether X is supported
    if (!in_address_space(*range) ||
        !target_.write_memory(static_cast<std::uint32_t>(range->address), *bytes))
        return error_memory;
    return ok;
}

std::string Session::change_point(std::string_view packet)
{
    const bool add = packet.front() == 'Z';
    if (packet.size() < 3 || packet[2] != ',')
        return error_malformed;
    if (packet[1] < '0' || packet[1] > '4')
        return ""; // this kind of point is not supported
    const auto range = range_from(packet.substr(3));
    if (!range)
        return error_malformed;
    Point point;
    point.kind = static_cast<PointKind>(packet[1] - '0');
    if (range->address >= address_space)
        return error_invalid;
    point.address = static_cast<std::uint32_t>(range->address);
    if (point.is_watch()) {
        if (range->length == 0 || range->length > longest_watch || !in_address_space(*range))
            return error_invalid;
        point.bytes = static_cast<std::uint32_t>(range->length);
    } else if (point.address % 2 != 0) {
        return error_invalid;
    }
    if (add)
        target_.add_point(point);
    else
        target_.remove_point(point);
    return ok;
}

/// Handles c [ADDRESS], s [ADDRESS], C SIGNAL[;ADDRESS] and S SIGNAL[;ADDRESS]. It ignores signals,
/// since a core has none.
Answer Session::resume(std::string_view packet)
{
    const char kind = packet.front();
    std::string_view address = packet.substr(1);
    if ((kind == 'C' || kind == 'S') && !number_from_hex(take_until(address, ';')))
        return reply(error_malformed);
    if (!address.empty()) {
        const auto pc = number_from_hex(address);
        if (!pc || *pc >= address_space || *pc % 2 != 0)
            return reply(error_malformed);
        target_.write_register(register_pc, static_cast<std::uint32_t>(*pc));
    }
    Answer answer;
    answer.action.kind = kind == 'c' || kind == 'C' ? Action::Kind::Continue : Action::Kind::Step;
    return answer;
}

/// Handles bs (step back) and bc (continue back). The run goes back to the last stop before the
/// current position.
Answer Session::resume_back(std::string_view how)
{
    if (how != "s" && how != "c")
        return reply("");
    Answer answer;
    answer.action.kind = how == "s" ? Action::Kind::StepBack : Action::Kind::ContinueBack;
    return answer;
}

/// Handles vCont;ACTION[:THREAD]... and executes the first action that applies to the only thread.
Answer Session::resume_actions(std::string_view actions)
{
    while (!actions.empty()) {
        std::string_view thread = take_until(actions, ';');
        std::string_view action = take_until(thread, ':');
        if (!thread.empty() && !is_thread(thread))
            continue;
        if (action.empty())
            return reply(error_malformed);
        const char kind = action.front();
        action.remove_prefix(1);
        Answer answer;
        if (kind == 'r') {
            const auto begin = number_from_hex(take_until(action, ','));
            const auto end = number_from_hex(action);
            if (!begin || !end || *begin >= address_space || *end > address_space)
                return reply(error_malformed);
            answer.action = {Action::Kind::StepRange, static_cast<std::uint32_t>(*begin), *end, {}};
            return answer;
        }
        const bool has_signal = kind == 'C' || kind == 'S';
        if (has_signal ? !number_from_hex(action) : !action.empty())
            return reply(error_malformed);
        if (kind == 'c' || kind == 'C')
            answer.action.kind = Action::Kind::Continue;
        else if (kind == 's' || kind == 'S')
            answer.action.kind = Action::Kind::Step;
        else
            return reply(error_malformed);
        return answer;
    }
    return reply(error_malformed);
}

Answer Session::verbose(std::string_view packet)
{
    if (packet == "vCont?")
        return reply("vCont;c;C;s;S;r");
    if (packet.starts_with("vCont;"))
        return resume_actions(packet.substr(6));
    if (packet.starts_with("vRun;"))
        return run(packet.substr(5));
    if (packet.starts_with("vKill;"))
        return {ok, {extended_ ? Action::Kind::KillToRun : Action::Kind::Kill, 0, 0, {}}, false};
    return reply(""); // unknown packets, including vMustReplyEmpty
}

/// Handles FILE[;ARGUMENT]..., where FILE is in hexadecimal or empty. Programs have no arguments
/// here.
Answer Session::run(std::string_view arguments)
{
    const auto file = bytes_from_hex(take_until(arguments, ';'));
    if (!file)
        return reply(error_malformed);
    return {
        std::nullopt, {Action::Kind::Run, 0, 0, std::string(file->begin(), file->end())}, false};
}

Answer Session::set_query(std::string_view packet)
{
    if (packet == "QStartNoAckMode")
        return {ok, {}, true};
    return reply("");
}

} // namespace levee::debug
