// SPDX-License-Identifier: Apache-2.0
// Reads a timeline and checks it against the rules of Chrome's trace event format and of Perfetto.
#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace levee::test {

inline std::string read_compressed(const std::filesystem::path& path)
{
    gzFile file = gzopen(path.c_str(), "rb");
    REQUIRE(file != nullptr);
    CHECK(gzdirect(file) == 0); ///< The file must be compressed.
    std::string text;
    std::array<char, 1 << 16> buffer{};
    int got = 0;
    while ((got = gzread(file, buffer.data(), buffer.size())) > 0)
        text.append(buffer.data(), static_cast<std::size_t>(got));
    REQUIRE(got == 0);
    REQUIRE(gzclose(file) == Z_OK);
    return text;
}

struct TimelineSpan {
    std::string process, track, name;
    std::int64_t begin_ps, end_ps;
    nlohmann::json args;
};

/// Contents of a timeline that passed the checks.
struct TimelineContent {
    std::vector<TimelineSpan> spans;
    std::size_t arrows = 0; ///< number of arrows with both a start and an end
    std::map<std::string, std::vector<std::pair<std::int64_t, double>>> counters;

    [[nodiscard]] std::vector<TimelineSpan> on(const std::string& process,
                                               const std::string& track) const
    {
        std::vector<TimelineSpan> found;
        for (const TimelineSpan& span : spans)
            if (span.process == process && span.track == track)
                found.push_back(span);
        return found;
    }
};

class TimelineCheck {
public:
    explicit TimelineCheck(const std::filesystem::path& path)
        : document_(nlohmann::json::parse(read_compressed(path)))
    {
        for (const auto& event : document_.at("traceEvents"))
            if (event.at("ph") == "M")
                name(event);
        for (const auto& event : document_.at("traceEvents"))
            if (event.at("ph") != "M")
                check(event);
        for (const auto& [track, state] : tracks_)
            if (!state.open.empty())
                FAIL_CHECK("a span never ends on track " << track.second);
        check_arrows();
    }

    TimelineContent content;

private:
    using Key = std::pair<int, int>;
    struct Track {
        std::int64_t last = 0;
        std::vector<TimelineSpan> open; // Spans that have begun but not yet ended.
        std::vector<std::int64_t> ends; // Ends of the complete spans that enclose the current one.
        std::vector<std::pair<std::int64_t, std::int64_t>> spans;
    };
    struct Arrow {
        std::string phases;
        std::vector<std::pair<Key, std::int64_t>> at;
    };

    static std::int64_t picoseconds(const nlohmann::json& us)
    {
        return std::llround(us.get<double>() * 1e6);
    }

    void name(const nlohmann::json& event)
    {
        const Key key{event.at("pid"), event.at("tid")};
        if (event.at("name") == "process_name")
            CHECK(processes_.emplace(key.first, event.at("args").at("name")).second);
        else if (event.at("name") == "thread_name")
            CHECK(threads_.emplace(key, event.at("args").at("name")).second);
        else
            CHECK(event.at("args").at("sort_index").is_number_integer());
    }

    void check(const nlohmann::json& event)
    {
        const std::string phase = event.at("ph");
        const Key key{event.at("pid"), event.at("tid")};
        const std::int64_t now = picoseconds(event.at("ts"));
        if (processes_.count(key.first) == 0 || (phase != "C" && threads_.count(key) == 0))
            FAIL_CHECK("a track without a name: " << event);
        Track& track = tracks_[key];
        if (now < track.last)
            FAIL_CHECK("time goes back on a track: " << event);
        track.last = now;
        if (phase == "B")
            track.open.push_back({processes_[key.first], threads_[key], event.at("name"), now, now,
                                  event.value("args", nlohmann::json::object())});
        else if (phase == "E")
            end(track, now);
        else if (phase == "X")
            complete(track, key, event, now);
        else if (phase == "s" || phase == "t" || phase == "f")
            arrow(phase, event, key, now);
        else if (phase == "C")
            count(event, now);
        else
            FAIL_CHECK("an event of a kind not expected: " << event);
    }

    void end(Track& track, std::int64_t now)
    {
        REQUIRE(!track.open.empty());
        TimelineSpan span = track.open.back();
        track.open.pop_back();
        span.end_ps = now;
        track.spans.emplace_back(span.begin_ps, now);
        content.spans.push_back(span);
    }

    void complete(Track& track, const Key& key, const nlohmann::json& event, std::int64_t now)
    {
        const std::int64_t until = now + picoseconds(event.at("dur"));
        while (!track.ends.empty() && track.ends.back() <= now)
            track.ends.pop_back();
        if (until < now || (!track.ends.empty() && until > track.ends.back()))
            FAIL_CHECK("spans of a track overlap without one inside the other: " << event);
        track.ends.push_back(until);
        track.spans.emplace_back(now, until);
        content.spans.push_back({processes_[key.first], threads_[key], event.at("name"), now, until,
                                 event.value("args", nlohmann::json::object())});
    }

    void arrow(const std::string& phase, const nlohmann::json& event, const Key& key,
               std::int64_t now)
    {
        CHECK(event.contains("cat"));
        Arrow& own = arrows_[event.at("id").get<std::uint64_t>()];
        own.phases += phase;
        own.at.emplace_back(key, now);
        if (phase == "f")
            CHECK(event.at("bp") == "e");
    }

    void count(const nlohmann::json& event, std::int64_t now)
    {
        REQUIRE(event.at("args").size() == 1);
        content.counters[event.at("name")].emplace_back(
            now, event.at("args").begin().value().get<double>());
    }

    void check_arrows()
    {
        for (const auto& [id, arrow] : arrows_) {
            INFO("arrow " << id << ": " << arrow.phases);
            const std::size_t steps = arrow.phases.size() - 2;
            CHECK(arrow.phases == "s" + std::string(steps, 't') + "f");
            std::int64_t last = 0;
            for (const auto& [key, at] : arrow.at) {
                CHECK(at >= last);
                last = at;
                const auto& spans = tracks_[key].spans;
                if (std::none_of(spans.begin(), spans.end(), [at = at](const auto& span) {
                        return span.first <= at &&
                               (at < span.second || (at == span.second && span.first == at));
                    }))
                    FAIL_CHECK("it touches no span at " << at << " ps");
            }
        }
        content.arrows = arrows_.size();
    }

    nlohmann::json document_;
    std::map<int, std::string> processes_;
    std::map<Key, std::string> threads_;
    std::map<Key, Track> tracks_;
    std::map<std::uint64_t, Arrow> arrows_;
};

} // namespace levee::test
