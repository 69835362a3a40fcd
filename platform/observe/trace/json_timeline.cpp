// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/json_timeline.hpp"

#include "platform/observe/trace/timeline_calls.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace levee::trace {

namespace {

constexpr std::uint64_t ps_per_us = 1'000'000;
constexpr std::string_view time_key = ",\"ts\":";
constexpr std::size_t most_time = 32;
constexpr std::size_t most_escaped = 6; // characters of an escaped character, such as \u001f

char* put(char* at, std::string_view text)
{
    return std::copy(text.begin(), text.end(), at);
}

constexpr std::array<std::array<char, 2>, 100> pairs = [] {
    std::array<std::array<char, 2>, 100> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
    return all;
}();

/// Writes the fraction of a microsecond, such as ".000345".
char* put_fraction(char* at, std::uint64_t ps)
{
    const auto rest = static_cast<std::uint32_t>(ps);
    const std::uint32_t first = rest / 10'000, others = rest % 10'000;
    at[0] = '.';
    std::memcpy(at + 1, pairs[first].data(), 2);
    std::memcpy(at + 3, pairs[others / 100].data(), 2);
    std::memcpy(at + 5, pairs[others % 100].data(), 2);
    return at + 7;
}

bool is_plain(char c)
{
    return c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 0x20;
}

char* put_escaped(char* at, char c)
{
    if (is_plain(c) || c == '"' || c == '\\') {
        if (!is_plain(c))
            *at++ = '\\';
        *at++ = c;
        return at;
    }
    return at + std::snprintf(at, most_escaped + 1, "\\u%04x", static_cast<unsigned>(c));
}

/// Writes a JSON string of at most most_json(text) characters.
char* put_json(char* at, std::string_view text)
{
    *at++ = '"';
    for (const char c : text)
        if (is_plain(c)) [[likely]]
            *at++ = c;
        else
            at = put_escaped(at, c);
    *at++ = '"';
    return at;
}

constexpr std::size_t most_json(std::string_view text)
{
    return most_escaped * text.size() + sizeof "\"\"";
}

} // namespace

std::string json_string(std::string_view text)
{
    std::string json(most_json(text), '\0');
    json.resize(static_cast<std::size_t>(put_json(json.data(), text) - json.data()));
    return json;
}

std::string event_head(char phase, Track track)
{
    std::string text(",\n{\"ph\":\"");
    text += phase;
    text += "\",\"pid\":" + std::to_string(track.process);
    text += ",\"tid\":" + std::to_string(track.thread);
    return text.append(time_key);
}

JsonTimeline::JsonTimeline(const std::filesystem::path& path) : file_(path)
{
    file_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

const JsonTimeline::Head& JsonTimeline::head(char phase, Track track)
{
    if (head_.phase == phase && head_.track.process == track.process &&
        head_.track.thread == track.thread)
        return head_;
    const std::string text = event_head(phase, track);
    head_ = {phase, track, {}, text.size()};
    std::copy(text.begin(), text.end(), head_.text.begin());
    return head_;
}

void JsonTimeline::event(char phase, Track track, std::string_view rest)
{
    const Head& start = head(phase, track);
    char* const at = file_.room(start.size + rest.size() + 1);
    const std::string_view untimed(start.text.data() + skipped_,
                                   start.size - skipped_ - time_key.size());
    skipped_ = 0;
    file_.add(put(put(put(at, untimed), rest), "}"));
}

void JsonTimeline::timed(char phase, Track track, std::uint64_t ps, std::string_view rest)
{
    const Head& start = head(phase, track);
    char* at = file_.room(most_head + most_time + rest.size() + 1);
    std::memcpy(at, start.text.data() + skipped_, most_head);
    at += start.size - skipped_;
    skipped_ = 0;
    const std::uint64_t whole = ps / ps_per_us;
    if (whole != whole_us_) {
        whole_us_ = whole;
        const auto end = std::to_chars(whole_.data(), whole_.data() + whole_.size(), whole).ptr;
        whole_digits_ = static_cast<std::size_t>(end - whole_.data());
    }
    std::memcpy(at, whole_.data(), whole_.size());
    at = put_fraction(at + whole_digits_, ps - whole * ps_per_us);
    file_.add(put(put(at, rest), "}"));
}

void JsonTimeline::name_process(std::uint32_t process, const std::string& name)
{
    event('M', {process, 0},
          ",\"name\":\"process_name\",\"args\":{\"name\":" + json_string(name) + "}");
    event('M', {process, 0},
          ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":" + std::to_string(process) +
              "}");
}

void JsonTimeline::name_thread(Track track, const std::string& name, std::uint32_t order)
{
    event('M', track, ",\"name\":\"thread_name\",\"args\":{\"name\":" + json_string(name) + "}");
    event('M', track,
          ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" + std::to_string(order) +
              "}");
}

void JsonTimeline::span(Track track, std::uint64_t ps, std::uint64_t duration_ps,
                        std::string_view name, const Arguments& arguments)
{
    std::string rest = ",\"dur\":" + microseconds(duration_ps) + ",\"name\":" + json_string(name);
    if (!arguments.empty()) {
        std::string members;
        for (const auto& [key, value] : arguments)
            members += (members.empty() ? "" : ",") + json_string(key) + ":" + json_string(value);
        rest += ",\"args\":{" + members + "}";
    }
    timed('X', track, ps, rest);
}

void JsonTimeline::arrow(Arrow part, std::uint64_t id, Track track, std::uint64_t ps,
                         std::string_view name)
{
    constexpr std::array<char, 3> phases{'s', 't', 'f'};
    // "bp":"e" binds the arrow to the enclosing span instead of the next one.
    timed(phases[static_cast<std::size_t>(part)], track, ps,
          ",\"id\":" + std::to_string(id) + ",\"name\":" + json_string(name) +
              ",\"cat\":" + json_string(name) + (part == Arrow::Finish ? ",\"bp\":\"e\"" : ""));
}

void JsonTimeline::counter(std::uint32_t process, std::uint64_t ps, std::string_view name,
                           std::string_view unit, std::string_view value)
{
    timed('C', {process, 0}, ps,
          ",\"name\":" + json_string(name) + ",\"args\":{" + json_string(unit) + ":" +
              std::string(value) + "}");
}

std::unique_ptr<CallListener> JsonTimeline::calls(const riscv::Clock& clock, Track track)
{
    return std::make_unique<TimelineCalls>(*this, clock, track);
}

void JsonTimeline::close()
{
    file_.write("\n]}\n");
    file_.close();
}

} // namespace levee::trace
