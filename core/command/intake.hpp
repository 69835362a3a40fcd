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

/// The cost of writing a model's matrices into a component that keeps them.
struct Intake {
    std::vector<std::pair<std::string, std::string>> facts; ///< names and values, for people
    std::vector<CountedEvent> events;                       ///< Work counted for price lists.
    /// The steps, one after another, and their times.
    std::vector<std::pair<std::string, Picoseconds>> times;
};

/// Receives everything that is written, in the component's own format.
using RawSink = std::function<void(std::span<const std::uint8_t>)>;

} // namespace levee
