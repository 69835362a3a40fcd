// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "ip/reram/fields.hpp"
#include "ip/reram/staged_operation.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::reram {

/// Vectors of one iteration (o0, o1); empty in timing-only runs.
struct Vectors {
    std::size_t width = 0;
    std::vector<std::int32_t> codes; ///< [vector][width]
    std::vector<float> scales;       ///< By vector, or empty.
    std::vector<float> b_scale, bias;
};

/// Quantises a vector as QUANTISE of the function unit does. Returns the scale.
float quantise(std::span<const float> values, unsigned bits, std::vector<std::int32_t>& codes);

/// Operands and results in memory or on stream ports: their streams, and their elements, one
/// iteration (o0, o1) after another.
class VectorOperands {
public:
    explicit VectorOperands(CommandQueue& queue) : queue_(queue) {}

    /// Resets the state for the next operation.
    void begin() { upstream_ = nullptr; }
    /// PRODUCT: opens all streams. Throws CommandFault.
    void open(const StagedOperation& staged, Operation& operation);
    /// WRITE: opens the streams of the columns' sources and of their scales.
    void open_columns(const StagedOperation& staged, Operation& operation);
    /// The producer of the vectors; null if memory supplies them.
    [[nodiscard]] const Operation* upstream() const { return upstream_; }

    /// Reads the vectors of one iteration and, for a PRODUCT, their scale factors. Throws
    /// CommandFault for an input that cannot be represented in sign and magnitude.
    void take(const StagedOperation& staged, std::uint32_t o0, std::uint32_t o1, Vectors& vectors);
    /// Writes the results of all iterations, packed.
    void write_results(const StagedOperation& staged, std::span<const std::uint8_t> results);
    /// WRITE: destination of the scales of the columns of iteration (o0, o1).
    [[nodiscard]] View scales_of(const StagedOperation& staged, std::uint32_t o0, std::uint32_t o1);

private:
    using Op = levee_reram_operation;
    void open_operand(Operation& operation, Direction direction, std::uint64_t address,
                      std::span<const std::int32_t> strides, const Op& op, std::uint64_t run_bytes,
                      std::uint32_t field);
    [[nodiscard]] View part_of(std::uint64_t address, std::span<const std::int32_t> strides,
                               const Op& op, std::uint32_t o0, std::uint32_t o1,
                               std::uint64_t run_bytes, std::uint32_t field);
    void read_factors(const Op& op, std::uint32_t o0, std::uint32_t o1, std::uint64_t n,
                      std::uint64_t address, std::uint32_t field, std::vector<float>& to);
    void read_codes(const StagedOperation& staged, const View& part, Vectors& vectors);
    void accept_vectors(const StagedOperation& staged, std::size_t index, Vectors& vectors);

    CommandQueue& queue_;
    const Operation* upstream_ = nullptr;
};

} // namespace levee::reram
