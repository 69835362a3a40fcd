// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/arrays.hpp"

#include <cstdint>
#include <span>

namespace levee::veda {

/// The block's arithmetic and its cycle count: the reference, the Verilated arrays, or both in
/// lockstep. An operation is begin(), run() for each group of products, and finish().
class Core {
public:
    virtual ~Core() = default;

    virtual void begin(const Configuration& configuration) = 0;
    /// Runs products side by side: one, or as many as there are arrays if these are split. Operands
    /// are read during the call; results may be written as late as finish().
    virtual void run(std::span<const Product> side_by_side) = 0;
    /// Cycles from the first operands to the last result, inclusive.
    [[nodiscard]] virtual std::uint64_t finish() = 0;
};

/// The reference and the timing rule.
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
