// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace levee {

/// Whether a run's payloads carry data. Phantom: the same descriptors, streams and time, but
/// transfers of tensors are TLM_IGNORE_COMMAND with their pattern in an extension, and no reference
/// is called. Descriptors, and the words that say where and how many (lengths, slots, tables,
/// picks), are real in both.
enum class DataMode { Functional, Phantom };

} // namespace levee
