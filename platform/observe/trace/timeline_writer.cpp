// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/timeline_writer.hpp"

#include <array>
#include <cstdio>

namespace levee::trace {

std::string json_string(std::string_view text)
{
    std::string json = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            json += '\\';
            json += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
            json += escape.data();
        } else {
            json += c;
        }
    }
    return json + '"';
}

std::string microseconds(std::uint64_t ps)
{
    constexpr std::uint64_t ps_per_us = 1'000'000;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%llu.%06llu",
                  static_cast<unsigned long long>(ps / ps_per_us),
                  static_cast<unsigned long long>(ps % ps_per_us));
    return text.data();
}

TimelineWriter::TimelineWriter(const std::filesystem::path& path) : file_(path)
{
    file_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

void TimelineWriter::event(char phase, Track track, std::string_view rest)
{
    file_.write(first_ ? "\n" : ",\n");
    first_ = false;
    std::string text = "{\"ph\":\"";
    text += phase;
    text +=
        "\",\"pid\":" + std::to_string(track.process) + ",\"tid\":" + std::to_string(track.thread);
    text += rest;
    text += '}';
    file_.write(text);
}

void TimelineWriter::timed(char phase, Track track, std::uint64_t ps, std::string_view rest)
{
    event(phase, track, ",\"ts\":" + microseconds(ps) + std::string(rest));
}

void TimelineWriter::name_process(std::uint32_t process, const std::string& name)
{
    event('M', {process, 0},
          ",\"name\":\"process_name\",\"args\":{\"name\":" + json_string(name) + "}");
    event('M', {process, 0},
          ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":" + std::to_string(process) +
              "}");
}

void TimelineWriter::name_thread(Track track, const std::string& name, std::uint32_t order)
{
    event('M', track, ",\"name\":\"thread_name\",\"args\":{\"name\":" + json_string(name) + "}");
    event('M', track,
          ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" + std::to_string(order) +
              "}");
}

void TimelineWriter::begin(Track track, std::uint64_t ps, std::string_view name)
{
    timed('B', track, ps, ",\"name\":" + json_string(name));
}

void TimelineWriter::end(Track track, std::uint64_t ps)
{
    timed('E', track, ps, "");
}

void TimelineWriter::span(Track track, std::uint64_t ps, std::uint64_t duration_ps,
                          std::string_view name, std::string_view args)
{
    std::string rest = ",\"dur\":" + microseconds(duration_ps) + ",\"name\":" + json_string(name);
    if (!args.empty())
        rest += ",\"args\":{" + std::string(args) + "}";
    timed('X', track, ps, rest);
}

void TimelineWriter::arrow(Arrow part, std::uint64_t id, Track track, std::uint64_t ps,
                           std::string_view name)
{
    constexpr std::array<char, 3> phases{'s', 't', 'f'};
    // bp "e" binds the arrow to the enclosing span, not to the next one.
    timed(phases[static_cast<std::size_t>(part)], track, ps,
          ",\"id\":" + std::to_string(id) + ",\"name\":" + json_string(name) +
              ",\"cat\":" + json_string(name) + (part == Arrow::Finish ? ",\"bp\":\"e\"" : ""));
}

void TimelineWriter::counter(std::uint32_t process, std::uint64_t ps, std::string_view name,
                             std::string_view unit, std::string_view value)
{
    timed('C', {process, 0}, ps,
          ",\"name\":" + json_string(name) + ",\"args\":{" + json_string(unit) + ":" +
              std::string(value) + "}");
}

void TimelineWriter::close()
{
    file_.write("\n]}\n");
    file_.close();
}

} // namespace levee::trace
