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

/// What it takes to write a model's matrices into a component that keeps them.
struct Intake {
    std::vector<std::pair<std::string, std::string>> facts; ///< names and values, for people
    std::vector<CountedEvent> events;                       ///< for price lists
    /// What goes on one after another, and how long it takes.
    std::vector<std::pair<std::string, Picoseconds>> times;
};

/// Gets everything that is written, in a form of the component's own.
using RawSink = std::function<void(std::span<const std::uint8_t>)>;

} // namespace levee
