// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/element_serial/model.hpp"

#include <cstdint>
#include <span>

namespace levee::element_serial {

struct Reduction {
    Function function = Function::Softmax;
    float scale = 1.0f; ///< Scale of a softmax.
};

/// A vector for REDUCE.
struct Incoming {
    std::span<const float> x;         ///< At least one element.
    std::span<const std::uint16_t> y; ///< FP16, as many elements as x; or empty.
    std::span<std::uint16_t> v;       ///< FP16 results, as many as x has elements.
    Statistics* statistics = nullptr; ///< Receives the statistics.
};

struct Normalisation {
    Function function = Function::Softmax;
    float epsilon = 0.0f; ///< Epsilon of norms.
};

/// A vector for NORMALISE.
struct Outgoing {
    Statistics statistics{};
    std::span<const std::uint16_t> v; ///< FP16, at least one element.
    std::span<const float> gain;      ///< Norms: as many as v; or empty.
    std::span<const float> bias;      ///< Norms: as many as v; or empty.
    std::span<std::uint16_t> out;     ///< FP16 results, as many as v has elements.
};

/// Arithmetic and cycle count of the unit: the reference, the Verilated design, or both in
/// lockstep. An operation consists of begin(), run() for each of its vectors, and finish().
class Core {
public:
    virtual ~Core() = default;

    virtual void begin(const Reduction& reduction) = 0;
    virtual void begin(const Normalisation& normalisation) = 0;
    /// Processes a vector. Operands are read during the call; results may be written as late as in
    /// finish().
    virtual void run(const Incoming& vector) = 0;
    virtual void run(const Outgoing& vector) = 0;
    /// Ends the operation. Returns its cycles from the first operand to the last result, inclusive.
    [[nodiscard]] virtual std::uint64_t finish() = 0;
};

/// Uses the reference and the timing rule.
class ReferenceCore final : public Core {
public:
    explicit ReferenceCore(std::uint32_t tile) : tile_(tile) {}

    void begin(const Reduction& reduction) override;
    void begin(const Normalisation& normalisation) override;
    void run(const Incoming& vector) override;
    void run(const Outgoing& vector) override;
    [[nodiscard]] std::uint64_t finish() override;

private:
    std::uint32_t tile_;
    Reduction reduction_;
    Normalisation normalisation_;
    std::uint64_t begun_ = 0; ///< Cycle, from 0, that takes the first element of the last vector.
    std::uint64_t next_ = 0;  ///< First cycle in which the next vector may begin.
    std::uint64_t length_ = 0;
    std::uint64_t fill_ = 0;
};

} // namespace levee::element_serial
