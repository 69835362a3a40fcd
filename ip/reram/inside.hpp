// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/inner_spans.hpp"
#include "core/units/stats.hpp"

#include <string>
#include <vector>

namespace levee::reram {

/// The units [first, first + count).
struct UnitRange {
    std::uint64_t first, count;
    [[nodiscard]] std::uint64_t end() const { return first + count; }
};

/// Activity of the crossbars for each group of units: busy times, and spans for timelines.
class GroupView {
public:
    GroupView(std::uint32_t units, std::uint32_t groups);

    [[nodiscard]] std::vector<std::string> tracks() const;
    void observe(InnerSpanSink sink) { sink_ = std::move(sink); }

    /// Work of all `units`, which are sorted: `steps` steps of length `step`, from `start` on.
    /// `stage` is the index of the stage in a chain.
    struct Work {
        const char* name;
        std::vector<UnitRange> units;
        Picoseconds start, step;
        std::uint64_t steps;
        std::uint32_t stage;
    };
    void add(const Work& work);
    /// Reports the spans added since the last call.
    void tell();

    void report(Stats& stats) const;

private:
    void add_spans(const Work& work, std::uint32_t group);

    std::uint32_t units_, groups_;
    InnerSpanSink sink_; ///< Null: not observed.
    std::vector<Picoseconds> busy_, told_;
    std::vector<InnerSpan> spans_;
    std::uint64_t chains_ = 0;
};

} // namespace levee::reram
