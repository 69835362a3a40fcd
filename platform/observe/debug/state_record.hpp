// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/checkpoint_list.hpp"
#include "platform/observe/debug/state_digest.hpp"

#include <filesystem>

namespace levee::debug {

/// The state of a run at one position.
struct RecordedState {
    Picoseconds asked_ps = 0; ///< the time that the user requested
    Position at;
    StateDigest state;
};

/// A file of recorded states, with one line of JSON for each. Another process that repeats the run
/// reads it (`--restore`). The file is open only while a line is added, since going back to a
/// checkpoint cuts open files to their earlier length.
class StateRecord {
public:
    /// Throws std::runtime_error if the file cannot be written.
    explicit StateRecord(const std::filesystem::path& file);

    void add(const RecordedState& state);

private:
    std::filesystem::path file_;
};

/// Returns the recorded state for a requested time. If none was recorded for it, throws
/// config::Error with a list of the recorded times.
[[nodiscard]] RecordedState recorded_state(const std::filesystem::path& file, Picoseconds asked_ps);

} // namespace levee::debug
