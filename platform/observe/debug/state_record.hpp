// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/checkpoint_list.hpp"
#include "platform/observe/debug/state_digest.hpp"

#include <filesystem>

namespace levee::debug {

/// The state of a run at one place.
struct RecordedState {
    Picoseconds asked_ps = 0; ///< Requested time; the core had reached it.
    Position at;              ///< position of the core
    StateDigest state;
};

/// States of a run for another process that repeats it (`--restore`), one line of JSON each. The
/// file is open only while a line is added, since going back to a checkpoint cuts open files to
/// their former length.
class StateRecord {
public:
    /// Throws std::runtime_error if the file cannot be written.
    explicit StateRecord(const std::filesystem::path& file);

    void add(const RecordedState& state);

private:
    std::filesystem::path file_;
};

/// Recorded state at a time. Throws config::Error, with a list of the available ones, if there is
/// none.
[[nodiscard]] RecordedState recorded_state(const std::filesystem::path& file, Picoseconds asked_ps);

} // namespace levee::debug
