#pragma once

#include "ip/common/command_queue.hpp"
#include "ip/sfu/regs.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace levee::sfu {

inline AccessPattern contiguous(std::uint64_t address, std::uint64_t bytes)
{
    AccessPattern pattern;
    pattern.address = address;
    pattern.run_bytes = bytes;
    return pattern;
}

/// One operation of the function unit in execution: its checks, its vectors, their way back to
/// memory.
class VectorRun {
public:
    struct Size {
        std::uint64_t vectors = 0;
        std::uint64_t elements = 0; ///< of each
    };

    explicit VectorRun(CommandQueue& queue) : queue_(queue) {}

    std::function<void(std::span<const float>)> on_logits;

    /// Fills `operation` but for its own pace. The opcode is known to exist. Throws CommandFault.
    Size prepare(const levee_descriptor& descriptor, Operation& operation);

    /// True if the results of this descriptor are codes with a scale.
    [[nodiscard]] static bool is_quantised(const levee_descriptor& descriptor);

private:
    /// The vectors of one (o0, o1).
    struct Group {
        std::uint32_t o0, o1;
        std::uint32_t length;   ///< valid elements (SOFTMAX)
        std::uint32_t position; ///< of row 0 (ROPE, EMBED)
        std::uint32_t scatter;  ///< output row of row 0; LEVEE_SFU_SKIP: none are written
    };

    void check() const;
    void check_types() const;
    void check_alignment() const;
    void list_groups();
    [[nodiscard]] std::uint32_t table_word(std::uint64_t table, const std::uint16_t* stride,
                                           const Group& group, std::uint32_t field) const;
    void read_indices();
    void read_row_words();

    void open_inputs(Operation& operation);
    void open_second_input(Operation& operation);
    void open_table(Operation& operation);
    void open_outputs(Operation& operation);
    /// `skipped`: groups whose rows do not pass.
    void open_rows(Operation& operation, Direction direction, std::uint64_t address,
                   const std::int32_t* stride, std::uint64_t run_bytes, std::uint32_t field,
                   std::size_t skipped = 0);
    void open_scattered(Operation& operation, std::uint64_t address, const std::int32_t* stride,
                        std::uint64_t run_bytes, std::uint32_t field);

    void load_vectors(const Group& group, std::size_t index);
    void load_second(const Group& group);
    void load_table_rows(const Group& group, std::size_t index);
    void compute(const Group& group, std::size_t index);
    void compute_vector(const Group& group, std::uint32_t row, std::size_t vector);
    void compute_softmax(std::span<const float> x, std::size_t length, std::size_t vector);
    void embed_vector(std::uint32_t row, std::span<float> out);
    void pick(std::span<const float> x, std::size_t vector);
    void write_groups(std::uint32_t first, std::uint32_t last);
    void write_vectors(std::size_t index, bool scattered, std::uint64_t address,
                       const std::int32_t* stride, std::uint64_t run_bytes, const void* packed);

    [[nodiscard]] bool is_pick() const;
    [[nodiscard]] bool has_flag(std::uint8_t flag) const { return (op_.flags & flag) != 0; }
    /// Whether a table places the rows of `out`; those of out_scale it does with SCATTER.
    [[nodiscard]] bool scatters_out() const;
    [[nodiscard]] bool has_rows_y() const;
    [[nodiscard]] std::uint64_t out_bytes() const;
    [[nodiscard]] std::uint32_t shared_head(std::uint32_t o1) const;
    [[nodiscard]] AccessPattern rows_at(std::uint64_t address, const std::int32_t* stride,
                                        const Group& group, std::uint64_t run_bytes) const;
    /// EMBED: the rows of y for the group's positions.
    [[nodiscard]] AccessPattern position_rows(const Group& group) const;
    /// The same as rows_at, `scatter` rows on.
    [[nodiscard]] AccessPattern scattered_rows(std::uint64_t address, const std::int32_t* stride,
                                               const Group& group, std::uint64_t run_bytes) const;
    /// ROW_WORDS: the rows that are written of groups [first, last).
    [[nodiscard]] RowList placed_rows(std::uint64_t address, const std::int32_t* stride,
                                      std::uint64_t run_bytes, std::size_t first,
                                      std::size_t last) const;

    CommandQueue& queue_;

    // The running operation.
    std::uint8_t opcode_ = 0;
    levee_sfu_operation op_{};
    std::vector<Group> groups_;
    std::vector<std::uint32_t> indices_;                     // EMBED, LOG_PROB: one per vector
    std::vector<std::uint32_t> row_positions_, row_targets_; // ROW_WORDS: one per vector
    std::span<const float> stream_;                          // x, when it comes from a stream
    std::vector<float> x_, y_, gain_, bias_, result_;
    std::vector<std::uint32_t> phase_;
    std::vector<std::uint8_t> table_; // EMBED: the rows of one group
    std::vector<float> row_scales_;
    std::vector<std::uint8_t> out_; // packed, group by group
    std::vector<float> out_scales_; // one per vector
    std::vector<float> tap_;        // SOFTMAX: the probabilities, where they are tapped
};

} // namespace levee::sfu
