// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee {

/// Data-dependent decision of one operation: its writes to memory, in order.
struct Decision {
    struct Write {
        AccessPattern pattern;
        std::vector<std::uint8_t> bytes; ///< Bytes to write, packed; empty: the pattern is
                                         ///< discarded.
        std::uint32_t iteration = 0;     ///< Iteration of the operation; never decreases.
        std::uint8_t what = 0;           ///< Kind of decision, numbered by the block.
    };
    std::vector<Write> writes;
    std::uint64_t descriptor = 0; ///< Hash of the operation's descriptor.
};

/// Recorder of decisions during a functional run.
class DecisionRecorder {
public:
    virtual ~DecisionRecorder() = default;
    /// `operation` is the number of the operation in the queue of `block`, from 0. Called once for
    /// each part if an operation publishes its results in parts.
    virtual void decided(const std::string& block, std::uint64_t operation,
                         const Decision& decision) = 0;
};

/// Source of the decisions in a timing-only run.
class DecisionSource {
public:
    virtual ~DecisionSource() = default;
    /// The recorded decision of that operation. If there is none, throws std::runtime_error with
    /// the operation's name.
    [[nodiscard]] virtual const Decision& decision(const std::string& block,
                                                   std::uint64_t operation) = 0;
};

struct DecisionStatistics;

/// A block's access to decisions. All members are null in a functional run without recording.
struct Decisions {
    DecisionRecorder* recorder = nullptr;
    DecisionSource* source = nullptr;               ///< Timing-only: recorded decisions, or
    const DecisionStatistics* statistics = nullptr; ///< Timing-only: statistics from which
                                                    ///< decisions are drawn.
};

} // namespace levee
