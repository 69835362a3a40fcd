// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_observer.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace levee {

/// Cost of writing a model's matrices to a component that stores them.
struct Intake {
    std::vector<std::pair<std::string, std::string>> facts; ///< Names and values for the user.
    std::vector<CountedEvent> events;                       ///< Events for price lists.
    /// Consecutive steps and their times.
    std::vector<std::pair<std::string, Picoseconds>> times;
};

/// Receives all bytes that are written, in the component's own format.
using RawSink = std::function<void(std::span<const std::uint8_t>)>;

} // namespace levee
