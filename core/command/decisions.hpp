// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/access_pattern.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee {

/// Data-dependent decision of one operation, as its writes to memory, in order.
struct Decision {
    struct Write {
        AccessPattern pattern;
        std::vector<std::uint8_t> bytes; ///< packed; empty: the pattern is discarded
        std::uint32_t iteration = 0;     ///< iteration of the operation, in increasing order
        std::uint8_t what = 0;           ///< kind of decision, numbered by the block
    };
    std::vector<Write> writes;
    std::uint64_t descriptor = 0; ///< hash of the operation's descriptor
};

/// Recorder of decisions during a functional run.
class DecisionRecorder {
public:
    virtual ~DecisionRecorder() = default;
    /// `operation` counts the operations executed by the queue `block`, from 0. Called again for
    /// further iterations of an operation that publishes its results in parts.
    virtual void decided(const std::string& block, std::uint64_t operation,
                         const Decision& decision) = 0;
};

/// Source of a timing-only run's decisions.
class DecisionSource {
public:
    virtual ~DecisionSource() = default;
    /// The recorded decision of that operation. Throws std::runtime_error, naming it, if there is
    /// none.
    [[nodiscard]] virtual const Decision& decision(const std::string& block,
                                                   std::uint64_t operation) = 0;
};

struct DecisionStatistics;

/// A block's access to decisions; all null in a functional run that is not recorded.
struct Decisions {
    DecisionRecorder* recorder = nullptr;
    DecisionSource* source = nullptr;               ///< timing-only: recorded decisions, or
    const DecisionStatistics* statistics = nullptr; ///< timing-only: statistics
};

} // namespace levee
