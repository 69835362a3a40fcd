// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/trace/timeline_calls.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace levee::trace {

namespace {

constexpr std::uint64_t ps_per_us = 1'000'000;
constexpr std::size_t digits = 6;
constexpr std::uint32_t digits_end = 1000;

/// The three digits of each number below 1,000, padded to four characters.
constexpr std::array<std::array<char, 4>, 1000> triples = [] {
    std::array<std::array<char, 4>, 1000> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = {static_cast<char>('0' + i / 100), static_cast<char>('0' + i / 10 % 10),
                  static_cast<char>('0' + i % 10), '0'};
    return all;
}();

} // namespace

TimelineCalls::TimelineCalls(JsonTimeline& writer, const riscv::Clock& clock, Track track)
    : file_(writer.file()), clock_(clock)
{
    for (Kind kind : {begin, end}) {
        Head& head = heads_[kind];
        const std::string text = event_head(kind == begin ? 'B' : 'E', track);
        std::copy(text.begin(), text.end(), head.text.begin());
        head.untimed = text.size();
    }
    set(end_, "}");
    set_whole(0);
}

void TimelineCalls::set(Tail& tail, std::string text)
{
    tail.size = text.size();
    text.resize(std::max(text.size(), most_copied), ' ');
    tail.text = std::move(text);
    tail.followed = {};
}

void TimelineCalls::set_whole(std::uint64_t ps)
{
    whole_ps_ = ps - ps % ps_per_us;
    for (Head& head : heads_) {
        char* const at = head.text.data() + head.untimed;
        char* const point = std::to_chars(at, head.text.end(), ps / ps_per_us).ptr;
        *point = '.';
        head.size = static_cast<std::size_t>(point + 1 - head.text.data());
    }
}

/// Returns the text that follows the time in a function's event. It is looked up by the function's
/// address, which does not change while this object exists.
inline TimelineCalls::Tail& TimelineCalls::tail_of(const Function& function)
{
    Tail& tail = begins_[reinterpret_cast<std::uintptr_t>(&function) / 16 % begins_.size()];
    if (tail.function != &function) [[unlikely]] {
        tail.function = &function;
        set(tail, ",\"name\":" + json_string(function.name) + "}");
    }
    return tail;
}

void TimelineCalls::enter(const Function& function, std::uint64_t cycle)
{
    event(begin, tail_of(function), cycle);
}

void TimelineCalls::leave(std::uint64_t cycle)
{
    event(end, end_, cycle);
}

/// Tells the file about a repeat. The text from the latest event's time to the next event's time
/// equals the text at the previous such pair of events.
inline void TimelineCalls::repeat(Kind kind)
{
    const Head& head = heads_[kind];
    const Pair now{latest_at_, whole_ps_ + latest_digits_};
    const Pair before = std::exchange(latest_->followed[kind], now);
    std::uint64_t skipped = 0, beginning = head.size;
    if (before.time != now.time) [[unlikely]] {
        skipped = before.time % digits_end != latest_digits_ ? 3 : 0;
        beginning = before.time - before.time % digits_end != whole_ps_ ? head.untimed : head.size;
    }
    file_.repeats(now.at + skipped, written_ + beginning - now.at - skipped, before.at + skipped);
}

void TimelineCalls::event(Kind kind, Tail& tail, std::uint64_t cycle)
{
    const std::uint64_t ps = clock_.edge_ps(cycle).value_or(UINT64_MAX);
    if (ps - whole_ps_ >= ps_per_us) [[unlikely]]
        set_whole(ps);
    const std::uint64_t from = file_.position();
    if (from == written_)
        repeat(kind);
    const auto rest = static_cast<std::uint32_t>(ps - whole_ps_);
    const Head& head = heads_[kind];
    const std::size_t timed = head.size, size = timed + digits + tail.size;
    latest_ = &tail;
    latest_digits_ = rest % digits_end;
    latest_at_ = from + timed + 3;
    written_ = from + size;
    char* const at = file_.room(most_head + digits + tail.text.size());
    std::memcpy(at, head.text.data(), head.text.size());
    std::memcpy(at + timed, triples[rest / digits_end].data(), 4);
    std::memcpy(at + timed + 3, triples[rest % digits_end].data(), 4);
    if (tail.size <= most_copied) [[likely]]
        std::memcpy(at + timed + digits, tail.text.data(), most_copied);
    else
        std::memcpy(at + timed + digits, tail.text.data(), tail.size);
    file_.add(at + size);
}

} // namespace levee::trace
