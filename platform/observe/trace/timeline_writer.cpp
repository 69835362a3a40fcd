// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/timeline_writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace levee::trace {

namespace {

void append(std::string& text, std::uint64_t number)
{
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    text.append(digits.data(), end);
}

void append_microseconds(std::string& text, std::uint64_t ps)
{
    constexpr std::uint64_t ps_per_us = 1'000'000;
    append(text, ps / ps_per_us);
    text += '.';
    // A leading 1 keeps the zeros behind the point.
    const std::size_t at = text.size();
    append(text, ps_per_us + ps % ps_per_us);
    text.erase(at, 1);
}

void append_json(std::string& json, std::string_view text)
{
    json += '"';
    const auto is_plain = [](char c) {
        return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
    };
    if (std::ranges::all_of(text, is_plain)) {
        json += text;
        json += '"';
        return;
    }
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
    json += '"';
}

} // namespace

std::string json_string(std::string_view text)
{
    std::string json;
    append_json(json, text);
    return json;
}

std::string microseconds(std::uint64_t ps)
{
    std::string text;
    append_microseconds(text, ps);
    return text;
}

TimelineWriter::TimelineWriter(const std::filesystem::path& path) : file_(path)
{
    file_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

void TimelineWriter::start(char phase, Track track)
{
    text_ = first_ ? "\n{\"ph\":\"" : ",\n{\"ph\":\"";
    first_ = false;
    text_ += phase;
    text_ += "\",\"pid\":";
    append(text_, track.process);
    text_ += ",\"tid\":";
    append(text_, track.thread);
}

void TimelineWriter::start(char phase, Track track, std::uint64_t ps)
{
    start(phase, track);
    text_ += ",\"ts\":";
    append_microseconds(text_, ps);
}

void TimelineWriter::finish(std::string_view rest)
{
    text_ += rest;
    text_ += '}';
    file_.write(text_);
}

void TimelineWriter::event(char phase, Track track, std::string_view rest)
{
    start(phase, track);
    finish(rest);
}

void TimelineWriter::timed(char phase, Track track, std::uint64_t ps, std::string_view rest)
{
    start(phase, track, ps);
    finish(rest);
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
    start('B', track, ps);
    text_ += ",\"name\":";
    append_json(text_, name);
    finish("");
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
