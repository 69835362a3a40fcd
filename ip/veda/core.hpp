// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/veda/arrays.hpp"

#include <cstdint>
#include <span>

namespace levee::veda {

/// What does the block's arithmetic and says its cycles: the reference, the Verilated arrays, or
/// both in lockstep. One operation is begin, run for each group of products, finish.
class Core {
public:
    virtual ~Core() = default;

    virtual void begin(const Configuration& configuration) = 0;
    /// Products one beside the other: one, or as many as there are arrays where they are split. The
    /// operands are read now; results may be written as late as in finish.
    virtual void run(std::span<const Product> side_by_side) = 0;
    /// Cycles from the first operands to the last result, both included.
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
