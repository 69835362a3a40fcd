// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace levee {

/// Returns a text such as "37 %, about 2 min left" when `done` of `total` parts have taken
/// `elapsed_s`. Neither `done` nor `total` may be 0.
[[nodiscard]] std::string progress_text(std::uint64_t done, std::uint64_t total, double elapsed_s);

/// A line with the progress of a long run, shown only on a terminal.
class Progress {
public:
    /// `total` is the number of parts, which should take about the same time. With one part or
    /// none, no line is shown. `noun` names a part and may be empty.
    Progress(std::uint64_t total, bool quiet, const char* noun = "");
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Counts `parts` more parts as done.
    void step(std::uint64_t parts = 1);

private:
    std::uint64_t total_;
    std::uint64_t done_ = 0;
    double began_s_;
    double shown_s_; ///< time at which the line was last written
    const char* noun_;
    bool shown_;
};

} // namespace levee
