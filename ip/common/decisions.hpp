// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/access_pattern.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace levee {

/// What one operation has decided from data, as what it did to memory, in order.
struct Decision {
    struct Write {
        AccessPattern pattern;
        std::vector<std::uint8_t> bytes; ///< packed; empty: the pattern was discarded
        std::uint32_t iteration = 0;     ///< of the operation; in order
        std::uint8_t what = 0;           ///< a number the block gives to what it decides
    };
    std::vector<Write> writes;
    std::uint64_t descriptor = 0; ///< hash of the operation's descriptor
};

/// Takes decisions down while a functional run makes them.
class DecisionRecorder {
public:
    virtual ~DecisionRecorder() = default;
    /// `operation` counts what the queue `block` has executed, from 0. Called again for further
    /// iterations of one that makes its results known in parts.
    virtual void decided(const std::string& block, std::uint64_t operation,
                         const Decision& decision) = 0;
};

/// Where a phantom run's decisions come from.
class DecisionSource {
public:
    virtual ~DecisionSource() = default;
    /// The recorded decision of that operation. Throws std::runtime_error, naming it, if there is
    /// none.
    [[nodiscard]] virtual const Decision& decision(const std::string& block,
                                                   std::uint64_t operation) = 0;
};

struct DecisionStatistics;

/// What a block knows of decisions; all null in a functional run that nobody records.
struct Decisions {
    DecisionRecorder* recorder = nullptr;
    DecisionSource* source = nullptr;               ///< phantom: recorded, or
    const DecisionStatistics* statistics = nullptr; ///< phantom: this
};

} // namespace levee
