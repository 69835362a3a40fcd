// SPDX-License-Identifier: Apache-2.0
// Debuggers' queries about the target: its registers, its memory and its only thread.
#include "platform/observe/debug/registers.hpp"
#include "platform/observe/debug/session_text.hpp"

#include <algorithm>

namespace levee::debug {

namespace {

/// Returns the part of a document that `OFFSET,LENGTH` selects.
std::string part_of(std::string_view document, std::string_view arguments)
{
    const auto range = range_from(arguments);
    if (!range)
        return error_malformed;
    if (range->address >= document.size())
        return "l";
    const std::string_view rest = document.substr(range->address);
    // The part is limited so that it fits into a packet even if every byte is escaped to two.
    const std::string_view part =
        rest.substr(0, std::min<std::uint64_t>(range->length, packet_bytes / 2));
    return (part.size() < rest.size() ? "m" : "l") + escape(part);
}

constexpr unsigned watchpoints = 1024; ///< an arbitrary number for LLDB, since there is no limit

/// Answers LLDB's queries for the kind of target, and tells it that watchpoints stop before the
/// access.
std::string lldb_info(bool process)
{
    const std::string machine =
        "triple:" + to_hex("riscv32-unknown-unknown-elf") + ";endian:little;ptrsize:4;";
    return (process ? "pid:1;" : "watchpoint_exceptions_received:before;") + machine;
}

} // namespace

Answer Session::query(std::string_view packet)
{
    if (packet == "qSupported" || packet.starts_with("qSupported:"))
        return reply("PacketSize=" + number(packet_bytes) +
                     ";qXfer:features:read+;qXfer:memory-map:read+;QStartNoAckMode+;swbreak+;"
                     "hwbreak+;vContSupported+"
                     ";ReverseStep+;ReverseContinue+");
    if (packet == "qC")
        return reply("QC1");
    if (packet == "qfThreadInfo")
        return reply("m1");
    if (packet == "qsThreadInfo")
        return reply("l");
    if (packet == "qThreadExtraInfo,1")
        return reply(to_hex("core"));
    if (packet == "qAttached")
        return reply("1"); // 1 means attached: GDB then does not kill the run when it quits
    if (packet == "qSymbol::")
        return reply(ok);
    if (packet.starts_with("qXfer:"))
        return transfer(packet.substr(6));
    if (packet == "qHostInfo" || packet == "qProcessInfo")
        return reply(lldb_info(packet == "qProcessInfo"));
    if (packet == "qWatchpointSupportInfo:")
        return reply("num:" + std::to_string(watchpoints) + ";");
    if (packet.starts_with("qRcmd,")) {
        const auto command = bytes_from_hex(packet.substr(6));
        if (!command)
            return reply(error_malformed);
        return {std::nullopt,
                {Action::Kind::Monitor, 0, 0, std::string(command->begin(), command->end())},
                false};
    }
    return reply("");
}

/// Handles OBJECT:read:ANNEX:OFFSET,LENGTH.
Answer Session::transfer(std::string_view arguments)
{
    const std::string_view object = take_until(arguments, ':');
    if (take_until(arguments, ':') != "read")
        return reply("");
    const std::string_view annex = take_until(arguments, ':');
    if (object == "memory-map")
        return reply(annex.empty() ? part_of(memory_map(), arguments) : "E00");
    if (object != "features")
        return reply("");
    static const std::string document = target_description();
    return reply(annex == "target.xml" ? part_of(document, arguments) : "E00");
}

/// Declares every region as RAM, registers included. GDB refuses to write to regions of other types
/// such as ROM.
std::string Session::memory_map() const
{
    std::string text =
        "<?xml version=\"1.0\"?>\n"
        "<!DOCTYPE memory-map PUBLIC \"+//IDN gnu.org//DTD GDB Memory Map V1.0//EN\" "
        "\"http://sourceware.org/gdb/gdb-memory-map.dtd\">\n"
        "<memory-map>\n";
    for (const Target::Region& region : target_.regions())
        text += "<memory type=\"ram\" start=\"0x" + number(region.address) + "\" length=\"0x" +
                number(region.bytes) + "\"/>\n";
    return text + "</memory-map>\n";
}

} // namespace levee::debug
