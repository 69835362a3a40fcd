// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/element_serial/model.hpp"

#include <cstdint>
#include <span>

namespace levee::element_serial {

struct Reduction {
    Function function = Function::Softmax;
    float scale = 1.0f; ///< scale of a softmax
};

/// A vector of REDUCE.
struct Incoming {
    std::span<const float> x;         ///< Elements, at least one.
    std::span<const std::uint16_t> y; ///< FP16, as many as x, or none
    std::span<std::uint16_t> v;       ///< FP16 results, as many as x
    Statistics* statistics = nullptr; ///< a result
};

struct Normalisation {
    Function function = Function::Softmax;
    float epsilon = 0.0f; ///< epsilon of norms
};

/// A vector of NORMALISE.
struct Outgoing {
    Statistics statistics{};
    std::span<const std::uint16_t> v; ///< FP16, at least one element
    std::span<const float> gain;      ///< norms: as many as v, or none
    std::span<const float> bias;      ///< norms: as many as v, or none
    std::span<std::uint16_t> out;     ///< FP16 results, as many as v
};

/// The unit's arithmetic and its cycle count: the reference, the Verilated design, or both in
/// lockstep. An operation is begin(), run() for each of its vectors, and finish().
class Core {
public:
    virtual ~Core() = default;

    virtual void begin(const Reduction& reduction) = 0;
    virtual void begin(const Normalisation& normalisation) = 0;
    /// Operands are read during the call; results may be written as late as finish().
    virtual void run(const Incoming& vector) = 0;
    virtual void run(const Outgoing& vector) = 0;
    /// Cycles from the first operands to the last result, inclusive.
    [[nodiscard]] virtual std::uint64_t finish() = 0;
};

/// The reference and the timing rule.
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
    std::uint64_t begun_ = 0;  ///< cycle that takes the last vector's first element, from 0
    std::uint64_t next_ = 0;   ///< Next element of a later vector, likewise.
    std::uint64_t length_ = 0; ///< length of the last vector
    std::uint64_t fill_ = 0;
};

} // namespace levee::element_serial
