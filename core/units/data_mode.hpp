// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Selects whether a run's payloads carry data. Timing-only runs have the same descriptors, streams
/// and times as functional runs. Their tensor transfers use TLM_IGNORE_COMMAND with the pattern in
/// an extension, and they call no reference. Descriptors, and words that state positions and counts
/// (lengths, slots, tables, picks), are real in both kinds of runs.
enum class DataMode { Functional, TimingOnly };

} // namespace levee
