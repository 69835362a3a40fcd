// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace levee {

/// Text "37 %, about 2 min left" for work of which `done` of `total` parts took `elapsed_s`.
/// Neither number is 0.
[[nodiscard]] std::string progress_text(std::uint64_t done, std::uint64_t total, double elapsed_s);

/// A progress line for long runs. Prints only to a terminal.
class Progress {
public:
    /// `total`: parts of the work, of about equal length; with one or none no line is shown.
    /// `noun`: name of a part; may be empty.
    Progress(std::uint64_t total, bool quiet, const char* noun = "");
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// Counts `parts` as done.
    void step(std::uint64_t parts = 1);

private:
    std::uint64_t total_;
    std::uint64_t done_ = 0;
    double began_s_;
    double shown_s_; ///< Time at which the line was last written.
    const char* noun_;
    bool shown_;
};

} // namespace levee
