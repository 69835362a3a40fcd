// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace levee {

/// "37 %, about 2 min left": how far work has come of which `done` of `total` parts took
/// `elapsed_s`. Neither is 0.
[[nodiscard]] std::string progress_text(std::uint64_t done, std::uint64_t total, double elapsed_s);

/// Shows a person at a terminal how far a long run has come, and how long it may still take; says
/// nothing to anything else.
class Progress {
public:
    /// `total`: parts of the work, of about equal length; up to 1: nothing worth showing. `noun`:
    /// what they are called, if that says something.
    Progress(std::uint64_t total, bool quiet, const char* noun = "");
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    /// `parts` more are done.
    void step(std::uint64_t parts = 1);

private:
    std::uint64_t total_;
    std::uint64_t done_ = 0;
    double began_s_;
    double shown_s_; ///< when the line was last written
    const char* noun_;
    bool shown_;
};

} // namespace levee
