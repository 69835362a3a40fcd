// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/machine_view.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace levee::debug {

/// Hashes of a halted system's state, by part. The part "core" has registers, CSRs and counts. Each
/// component or peripheral is a part of its own, with registers, queue, counts and stored bytes.
/// Equal states have equal hashes in every process and on every host.
using StateDigest = std::map<std::string, std::uint64_t>;

[[nodiscard]] StateDigest digest_of(const MachineView& machine);

/// Returns the names of the parts that differ or that only one digest contains.
[[nodiscard]] std::vector<std::string> differences(const StateDigest& one,
                                                   const StateDigest& other);

} // namespace levee::debug
