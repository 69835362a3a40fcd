// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/common/command_queue.hpp"
#include "ip/veda/core.hpp"
#include "ip/veda/regs.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::veda {

/// One LEVEE_VEDA_GEMV in execution: its checks, its operands, its products and their write-back. A
/// phantom run has neither operands nor products, only the accesses that memories track.
class GemvRun {
public:
    struct Cost {
        std::uint64_t cycles = 0;
        std::uint64_t macs = 0;
    };

    /// `buffer_bytes`: the part of B that is buffered for the next of m vectors.
    GemvRun(CommandQueue& queue, const ArrayShape& shape, std::uint64_t buffer_bytes, Core& core)
        : queue_(queue), shape_(shape), buffer_bytes_(buffer_bytes), core_(core)
    {
    }

    /// Fills all of `operation` except its own pace, which follows from the returned cycles. Throws
    /// CommandFault.
    Cost prepare(const levee_descriptor& descriptor, Operation& operation);

private:
    /// A block, one (o0, o1): m products with the same B.
    struct Block {
        std::uint32_t o0 = 0, o1 = 0;
        std::uint32_t k = 0, n = 0;
        std::size_t out = 0;             ///< offset of its results in out_
        std::vector<std::uint16_t> a, b; ///< packed
    };
    struct Traffic {
        std::uint64_t a = 0, b = 0, out = 0; // bytes
    };

    void list_blocks();
    [[nodiscard]] std::vector<std::uint32_t> read_lengths();
    [[nodiscard]] Traffic count_traffic() const;
    void open(Operation& operation);
    void open_output(Operation& operation, const Block& longest, std::uint64_t bytes);
    void multiply();
    void multiply_group(Block* first, std::size_t count);
    void write_blocks(std::uint32_t first, std::uint32_t last);
    [[nodiscard]] std::uint64_t cycles() const;
    void touch_operands();
    void touch_results(std::uint32_t first, std::uint32_t last);
    void fill_stream(Operation& operation) const;

    [[nodiscard]] bool is_transposed() const;
    [[nodiscard]] bool is_split() const;
    [[nodiscard]] Configuration configuration() const;
    [[nodiscard]] std::uint32_t row_elements(const Block& block) const;
    [[nodiscard]] AccessPattern vectors(const Block& block) const;
    [[nodiscard]] AccessPattern results(const Block& block) const;
    [[nodiscard]] AccessPattern rows_at(std::uint64_t address, const std::int32_t (&stride)[3],
                                        const Block& block, std::uint64_t run_bytes) const;
    [[nodiscard]] AccessPattern matrix(const Block& block) const;

    CommandQueue& queue_;
    ArrayShape shape_;
    std::uint64_t buffer_bytes_;
    Core& core_;

    // The running operation.
    levee_veda_operation gemv_{};
    bool to_stream_ = false;
    std::vector<Block> blocks_;
    std::vector<std::uint32_t> out_; // blocks one after another, each packed
    std::vector<std::uint16_t> narrow_;
};

} // namespace levee::veda
