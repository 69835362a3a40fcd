// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/arrays.hpp"

#include <cstdint>
#include <span>

namespace levee::veda {

/// Arithmetic and cycle count of the block: the reference, the Verilated arrays, or both in
/// lockstep. An operation consists of begin(), run() for each group of products, and finish().
class Core {
public:
    virtual ~Core() = default;

    virtual void begin(const Configuration& configuration) = 0;
    /// Runs products in parallel. There is one product or, if the arrays are split, one for each
    /// array. Operands are read during the call; results may be written as late as in finish().
    virtual void run(std::span<const Product> side_by_side) = 0;
    /// Ends the operation. Returns its cycles from the first operands to the last result,
    /// inclusive.
    [[nodiscard]] virtual std::uint64_t finish() = 0;
};

/// Uses the reference and the timing rule.
class ReferenceCore final : public Core {
public:
    explicit ReferenceCore(const ArrayShape& shape) : shape_(shape) {}

    void begin(const Configuration& configuration) override;
    void run(std::span<const Product> side_by_side) override;
    [[nodiscard]] std::uint64_t finish() override;

private:
    ArrayShape shape_;
    Configuration configuration_;
    std::uint64_t beats_ = 0;
};

} // namespace levee::veda
