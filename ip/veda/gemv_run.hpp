// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/view.hpp"
#include "core/numerics/overflow.hpp"
#include "ip/veda/core.hpp"
#include "ip/veda/descriptor_fields.hpp"
#include "ip/veda/nest.hpp"
#include "ip/veda/regs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::veda {

/// Executes one LEVEE_VEDA_GEMV: checks, operands, products and writing of results. A timing-only
/// run has neither operands nor products; it only makes accesses that memories track.
class GemvRun {
public:
    struct Cost {
        std::uint64_t cycles = 0;
        std::uint64_t ahead = 0; ///< Cycles until the elements of A that the first beat needs have
                                 ///< arrived at the port.
        std::uint64_t macs = 0;
        std::uint64_t transposed_bytes = 0; ///< Bytes of B that are transposed in separate passes.
    };

    GemvRun(CommandQueue& queue, const Machine& machine, Core& core)
        : queue_(queue), arrays_(machine.arrays), core_(core), nest_(machine)
    {
    }

    /// Fills `operation`, except for the block's own time, which the caller computes from the
    /// returned cycles. If A comes from a port, waits for its producer. Throws CommandFault.
    Cost prepare(const levee_descriptor& descriptor, Operation& operation);

    [[nodiscard]] const Overflows& overflows() const { return overflows_; }

private:
    using Block = Nest::Block;
    /// A tensor's rows, one for each vector. The tensor is A or out.
    struct Rows {
        std::uint64_t address;
        const std::int32_t* stride; ///< Strides of o0, o1 and m.
        levee_veda_ragged dimension;
        unsigned type;
    };

    // In gemv_run.cpp: tables, time and streams.
    void list_blocks();
    [[nodiscard]] std::vector<std::uint32_t> read_lengths();
    void open(Operation& operation);
    void open_rows(Operation& operation, Direction direction, const Rows& rows, std::uint64_t bytes,
                   std::uint32_t field);
    void open_matrix(Operation& operation, std::uint64_t bytes);
    void open_work(Operation& operation, std::uint64_t bytes);
    void accept_vectors();
    void open_ports(Operation& operation);

    // In gemv_data.cpp: operands and results.
    void multiply();
    void multiply_group(std::span<const Block> blocks);
    void load(const Block& block, std::vector<std::uint16_t>& a, std::vector<std::uint16_t>& b);
    void take_streamed(const Block& block, std::vector<std::uint16_t>& a) const;
    void write_blocks(std::uint32_t first, std::uint32_t last);
    void fill_stream(Operation& operation) const;

    /// Calls visit(pattern, first vector) for a block's part of `rows`, with as few patterns as
    /// possible.
    void for_each_part(const Rows& rows, const Block& block, auto visit) const;
    [[nodiscard]] Rows vectors() const;
    [[nodiscard]] Rows results() const;
    [[nodiscard]] AccessPattern matrix(const Block& block) const;
    [[nodiscard]] bool is_transposed() const
    {
        return (gemv_.flags & LEVEE_VEDA_B_TRANSPOSED) != 0;
    }
    [[nodiscard]] std::uint32_t group() const { return gemv_.group > 0 ? gemv_.group : 1; }
    [[nodiscard]] std::size_t vector_count() const
    {
        return nest_.blocks().size() * std::size_t{gemv_.m};
    }

    CommandQueue& queue_;
    ArrayShape arrays_;
    Core& core_;

    // State of the current operation.
    levee_veda_operation gemv_{};
    Nest nest_;
    bool from_stream_ = false, to_stream_ = false;
    std::span<const float> streamed_; ///< Functional runs: A's elements from a
                                      ///< port.
    std::vector<std::uint32_t> out_;  ///< Results, block by block, each packed.
    std::vector<std::uint16_t> narrow_;
    Overflows overflows_; ///< Overflows of all operations so far.
};

} // namespace levee::veda
