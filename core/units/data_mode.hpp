// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Selects whether a run's payloads carry data. Timing-only: the same descriptors, streams and
/// time, but tensor transfers are TLM_IGNORE_COMMAND with their pattern in an extension, and no
/// reference is called. Descriptors and the words that state positions and counts (lengths, slots,
/// tables, picks) are real in both.
enum class DataMode { Functional, TimingOnly };

} // namespace levee
