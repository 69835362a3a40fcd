// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/command/tensor_rows.hpp"
#include "core/numerics/overflow.hpp"
#include "core/numerics/tensor.hpp"
#include "ip/sfu/regs.h"
#include "ip/sfu/work.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace levee::sfu {

/// One operation of the function unit in execution: its checks, its vectors, and their write-back.
class VectorRun {
public:
    struct Size {
        std::uint64_t vectors = 0;
        std::uint64_t elements = 0; ///< of each vector
    };

    explicit VectorRun(CommandQueue& queue) : queue_(queue) {}

    std::function<void(std::span<const float>)> on_logits;

    /// Fills all of `operation` except its own pace. The opcode is valid. Throws CommandFault.
    Size prepare(const levee_descriptor& descriptor, Operation& operation);

    /// Adds the lanes' work in the prepared operation.
    void count(std::vector<CountedEvent>& work) const
    {
        count_work(opcode_, op_, vector_count(), work);
    }

    [[nodiscard]] const Overflows& overflows() const { return overflows_; }

    /// True if the results of this descriptor are codes with a scale.
    [[nodiscard]] static bool is_quantised(const levee_descriptor& descriptor);
    /// Types of results that have a scale per vector.
    [[nodiscard]] static bool is_integer(std::uint8_t type);

private:
    /// A group: the vectors of one (o0, o1).
    struct Group {
        std::uint32_t o0, o1;
        std::uint32_t length;   ///< valid elements (softmaxes)
        std::uint32_t position; ///< of row 0 (ROPE, EMBED)
        std::uint32_t scatter;  ///< output row of row 0 (0 without SCATTER); LEVEE_SFU_SKIP: none
    };

    /// One of the operation's two outputs: out, or out_scale.
    struct Result {
        std::uint64_t address = 0;
        const std::int32_t* stride = nullptr;
        std::uint64_t run_bytes = 0;
        bool given = false;
        bool scattered = false; ///< a table gives the places of its rows
        bool tracked = false;   ///< its memory tracks accesses
    };

    void check() const;
    void check_flags() const;
    void check_types() const;
    void check_alignment() const;
    void read_tables();
    void read_lengths();
    /// Words of a table for all groups, (o0, o1) by (o0, o1), `words` contiguous ones for each.
    [[nodiscard]] AccessPattern words_of(std::uint64_t table, std::array<std::uint32_t, 2> stride,
                                         std::uint32_t words) const;
    void read_positions(std::uint32_t words, std::vector<std::uint32_t>& into);
    void read_indices(std::uint32_t words, std::vector<std::uint32_t>& into);
    void read_vector_indices();
    void read_row_words();
    [[nodiscard]] Group group(std::size_t index) const;

    void open_inputs(Operation& operation);
    void open_second_input(Operation& operation);
    void open_table(Operation& operation);
    void open_outputs(Operation& operation);
    /// `skipped`: groups whose rows are not written.
    void open_rows(Operation& operation, Direction direction, std::uint64_t address,
                   const std::int32_t* stride, std::uint64_t run_bytes, std::uint32_t field,
                   std::size_t skipped = 0);
    void open_result(Operation& operation, Result& result, std::uint32_t field);
    void open_groups(Operation& operation, Result& result, std::uint32_t field);
    [[nodiscard]] RowSpread spread_groups(const Result& result) const;
    void open_placed(Operation& operation, Result& result, std::uint32_t field);

    void run_groups();
    void load_vectors(const Group& group);
    void load_second(const Group& group);
    void load_running(const Group& group, std::size_t index);
    void load_table_rows(std::size_t index);
    void compute(const Group& group, std::size_t index);
    void compute_vector(const Group& group, std::uint32_t row, std::size_t vector);
    void compute_function(const Group& group, std::uint32_t row, std::size_t vector,
                          std::span<const float> x);
    void compute_softmax(std::span<const float> x, std::size_t length, std::size_t vector);
    void normalise(std::span<const float> x, std::size_t length, std::size_t vector,
                   std::span<const float> factors, std::span<float> out);
    [[nodiscard]] std::uint32_t scale_group() const; ///< elements; 0: all of a row
    [[nodiscard]] std::uint64_t scales_of_row() const;
    void embed_vector(std::uint32_t row, std::span<float> out);
    void pick(std::span<const float> x, std::size_t vector);
    void write_groups(std::uint32_t first, std::uint32_t last);
    void write_picks(std::uint32_t first, std::uint32_t last);
    [[nodiscard]] AccessPattern written_rows(const Result& result, const Group& group) const;
    /// Calls visit(pattern, offset) for each part of `result` that group `index` writes, `offset`
    /// bytes from the group's first.
    void for_each_written(const Result& result, std::size_t index, auto visit) const;

    [[nodiscard]] bool is_pick() const;
    [[nodiscard]] bool is_softmax() const; ///< of whatever kind
    /// Whether the operation reads (writes) the running maximum and sum at gain.
    [[nodiscard]] bool reads_running() const;
    [[nodiscard]] bool writes_running() const { return opcode_ == LEVEE_SFU_SOFTMAX_PART; }
    [[nodiscard]] bool has_flag(std::uint8_t flag) const { return (op_.flags & flag) != 0; }
    /// Whether a table gives the places of the rows of `out`; for those of out_scale, SCATTER does.
    [[nodiscard]] bool scatters_out() const;
    [[nodiscard]] bool has_rows_y() const;
    [[nodiscard]] std::uint64_t x_bytes() const { return bytes_of(op_.n, op_.x_type); }
    [[nodiscard]] unsigned y_type() const ///< of its elements
    {
        return op_.y_type == LEVEE_TYPE_FP16 ? LEVEE_TYPE_FP16 : LEVEE_TYPE_FP32;
    }
    [[nodiscard]] std::uint64_t y_bytes() const { return bytes_of(op_.n, y_type()); }
    /// Reads `count` elements of `type` FP32 or FP16.
    void load(const AccessPattern& rows, unsigned type, std::size_t count, std::vector<float>& into,
              std::uint32_t field);
    void write_codes(std::size_t vector);
    void write_halves(std::span<std::uint16_t> halves);
    void write_int4(std::size_t vector, std::uint8_t* packed);
    void fill_stream(Operation& operation) const;
    /// Whether results go to a stream port.
    [[nodiscard]] bool streams_out() const { return StreamPorts::is_stream(op_.out); }
    [[nodiscard]] std::uint64_t out_bytes() const;
    [[nodiscard]] std::uint32_t shared_head(std::uint32_t o1) const;
    [[nodiscard]] AccessPattern rows_at(std::uint64_t address, const std::int32_t* stride,
                                        const Group& group, std::uint64_t run_bytes) const;
    /// EMBED: the rows of y at the group's positions.
    [[nodiscard]] AccessPattern position_rows(const Group& group) const;
    [[nodiscard]] std::size_t group_count() const;
    [[nodiscard]] std::size_t vector_count() const { return group_count() * op_.rows; }
    /// Whether the tables that place single rows are only statistical.
    [[nodiscard]] bool is_statistical() const;
    /// A buffer for `size` bytes of payload; null in timing-only runs.
    template <typename T> T* room(std::vector<T>& elements, std::size_t size) const
    {
        if (queue_.timing_only())
            return nullptr;
        elements.resize(size);
        return elements.data();
    }

    CommandQueue& queue_;

    // The running operation.
    std::uint8_t opcode_ = 0;
    levee_sfu_operation op_{};
    std::vector<std::uint32_t> lengths_;              // softmaxes: one per (o0, head of y)
    std::uint32_t length_words_ = 0;                  // of an o0
    std::vector<std::uint32_t> positions_, scatters_; // one per (o0, o1)
    std::uint32_t least_scatter_ = 0;
    std::vector<std::uint32_t> indices_;                     // EMBED, LOG_PROB: one per vector
    std::vector<std::uint32_t> row_positions_, row_targets_; // ROW_WORDS: one per vector
    bool streamed_ = false;                                  // x comes from a stream port
    std::span<const float> stream_;                          // the streamed x
    Result result_out_, result_scale_, result_running_, result_keep_;
    static constexpr std::int32_t running_words = sizeof(levee_sfu_running) / sizeof(float);
    std::array<std::int32_t, 3> running_stride_{};
    RowList rows_;
    std::vector<float> x_, y_, gain_, bias_, result_;
    std::vector<std::uint16_t> halves_; // as they are read
    std::vector<std::uint32_t> phase_;
    std::vector<std::uint8_t> table_; // EMBED: the rows of one group
    std::vector<float> row_scales_;
    std::vector<std::uint8_t> out_;          // packed, group by group
    std::vector<std::int8_t> codes_;         // of a vector that becomes INT4
    std::vector<float> out_scales_;          // one per vector
    std::vector<float> tap_;                 // softmaxes with a tap: the probabilities
    std::vector<levee_sfu_running> running_; // one per vector
    std::vector<float> keep_;                // SOFTMAX_PART: one per vector

    Overflows overflows_; // of all operations
};

} // namespace levee::sfu
