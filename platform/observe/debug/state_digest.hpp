// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/debug/machine_view.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace levee::debug {

/// Hashes of a halted system's state, by part: "core" (registers, CSRs, counts), and each
/// component and peripheral by its name (registers, queue, counted figures, bytes stored). Equal
/// states give equal hashes, in every process and on every host.
using StateDigest = std::map<std::string, std::uint64_t>;

[[nodiscard]] StateDigest digest_of(const MachineView& machine);

/// Names of the parts in which two digests differ, or which one of them lacks.
[[nodiscard]] std::vector<std::string> differences(const StateDigest& one,
                                                   const StateDigest& other);

} // namespace levee::debug
