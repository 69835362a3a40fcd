// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/memory/loop_nest.hpp"
#include "core/numerics/overflow.hpp"
#include "ip/rsa/engine.hpp"
#include "ip/rsa/model.hpp"
#include "ip/rsa/regs.h"
#include "ip/rsa/ring.hpp"
#include "ip/rsa/stored_rows.hpp"
#include "ip/rsa/timing.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace levee::rsa {

/// One LEVEE_RSA_GEMM in execution: its checks, its operands, its products and their write-back. A
/// timing-only run has neither operands nor products, only the accesses that memories track; its
/// cost for the host does not grow with the shape.
class GemmRun {
public:
    struct Cost {
        std::uint64_t cycles = 0;
        std::uint64_t load_cycles = 0; ///< of these, what B's loading makes them
        std::uint64_t macs = 0;
        std::uint64_t folds = 0;
        std::uint64_t passes = 0;    ///< summed over folds
        std::uint64_t byte_macs = 0; ///< 8-bit MACs: each pass over an element counts
        std::uint64_t scalings = 0;  ///< of sums of groups
    };

    GemmRun(CommandQueue& queue, const ArrayShape& array, bool single_pass);

    /// Fills all of `operation` except its own pace, which follows from the returned cycles. Throws
    /// CommandFault.
    Cost prepare(const levee_descriptor& descriptor, Operation& operation);

    /// Hardware that computes the sums of functional runs; null: the reference. It outlives this
    /// run.
    void use(Engine* engine) { engine_ = engine; }

    /// LEVEE_RSA_RING_*(number).
    [[nodiscard]] Ring& ring(unsigned number) { return rings_[number]; }

    [[nodiscard]] const Overflows& overflows() const { return overflows_; }

private:
    /// Consecutive products of the (o0, o1) loops, all of the same size.
    struct Group {
        std::size_t first, count;
        std::uint64_t k, n;
        std::size_t out;                  ///< offset of their results in out_
        std::uint64_t rows_elsewhere = 0; ///< of B, in all of them
        std::uint64_t rows_free = 0;      ///< of B, likewise: neither here nor elsewhere
        std::uint64_t m = 0;              ///< rows of each
        std::uint64_t row = 0;            ///< ragged M: the first of them
    };
    /// Each product's part of a tensor: row.count x inner.count runs.
    struct Operand {
        std::uint64_t address;     ///< of product (0, 0)
        const std::int32_t* outer; ///< strides of o0, o1
        std::uint64_t run_bytes;
        Loop row, inner;
        std::uint32_t field; ///< of the descriptor
    };
    /// The operands of one product, packed.
    struct Loaded {
        std::vector<std::uint8_t> a, b;
        std::vector<float> a_scale, b_scale, keep;
    };
    struct Traffic {
        std::uint64_t a = 0, b = 0, b_elsewhere = 0, a_scale = 0, b_scale = 0, out = 0; // bytes
    };

    // gemm_run.cpp: checks, time and streams.
    void list_groups();
    void add_products(std::size_t count, std::uint64_t k, std::uint64_t n);
    [[nodiscard]] std::vector<std::uint32_t> read_lengths();
    void list_shares();
    void find_rows_elsewhere();
    Cost count(Traffic& traffic) const;
    void open(Operation& operation, const Traffic& traffic);
    void open_operand(Operation& operation, Direction direction, const Operand& operand,
                      std::uint64_t bytes);
    void open_shared(Operation& operation, Direction direction, const Operand& operand,
                     std::uint64_t bytes);
    void open_stationary(Operation& operation, const Group& longest, const Traffic& traffic);
    void accept_stationary(const Traffic& traffic);
    void open_output(Operation& operation, const Group& longest, std::uint64_t bytes);

    // gemm_data.cpp: operands, products and results.
    /// Some of a group's products.
    [[nodiscard]] Group products(const Group& group, std::size_t first, std::size_t count) const;
    /// Calls visit(group) for the products [first, last): one by one, or, without payload, with
    /// those that are equal.
    void for_each_product(std::size_t first, std::size_t last, auto visit) const;
    /// Calls visit(view) for the accesses to an operand of a group's products. Those that no
    /// memory takes notice of may be left out.
    void for_each_access(Direction direction, const Operand& operand, const Group& group,
                         auto visit) const;
    void run(Operation& operation);
    bool load(const Group& group, Loaded& loaded);
    void load_redirected(const Group& group, std::vector<std::uint8_t>& into);
    void multiply_by_engine();
    [[nodiscard]] Gemm gemm_of(const Group& product, const Loaded& loaded);
    void take_rows(const AccessPattern& b, std::vector<std::uint8_t>& into);
    [[nodiscard]] std::vector<float> full_rows() const;
    void write_products(std::uint32_t first, std::uint32_t last);
    void write_columns(std::uint32_t first, std::uint32_t last);

    // Operands of products of one size.
    [[nodiscard]] Operand operand_a(const Group& group) const;
    [[nodiscard]] Operand operand_b(std::uint64_t k, std::uint64_t n) const;
    [[nodiscard]] Operand operand_a_scale(const Group& group) const;
    [[nodiscard]] Operand operand_b_scale(std::uint64_t n) const;
    [[nodiscard]] Operand operand_out(const Group& group) const;
    /// Ragged M: the operands of a product's rows, which a list may place.
    [[nodiscard]] Operand share_of(Operand all, const Group& group) const;
    template <typename Element>
    void load_listed(const Operand& operand, const Group& group, std::vector<Element>& into);
    /// ACCUMULATE: the rows' factors, as the scales of A lie.
    [[nodiscard]] Operand operand_keep(const Group& group) const;
    [[nodiscard]] AccessPattern bias() const;
    [[nodiscard]] AccessPattern columns_of(std::uint64_t begin, std::uint64_t end) const;
    /// Operands of one product.
    [[nodiscard]] AccessPattern part(const Operand& operand, std::size_t product) const;

    /// Elements of k that share a scale of B; 0: one scale a column.
    [[nodiscard]] std::uint32_t scale_group() const;
    [[nodiscard]] std::uint64_t scales_of_column() const
    {
        return groups_of(gemm_.k, scale_group());
    }
    [[nodiscard]] bool has_flag(unsigned flag) const { return (gemm_.flags & flag) != 0; }
    [[nodiscard]] bool is_transposed() const { return has_flag(LEVEE_RSA_B_TRANSPOSED); }
    [[nodiscard]] bool accumulates() const { return has_flag(LEVEE_RSA_ACCUMULATE); }
    [[nodiscard]] bool has_bias() const { return gemm_.bias != 0 && !accumulates(); }
    [[nodiscard]] bool has_keep() const { return gemm_.bias != 0 && accumulates(); }
    [[nodiscard]] bool partial_rows_are_free() const { return has_flag(LEVEE_RSA_PARTIAL_FREE); }
    [[nodiscard]] ArrayShape array_in_place() const;
    [[nodiscard]] ProductCost cost_of_one(const Group& group, unsigned pass_count) const;
    [[nodiscard]] bool is_one_product() const;
    [[nodiscard]] bool shares_rows() const ///< ragged M
    {
        return gemm_.ragged == LEVEE_RSA_RAGGED_M || is_listed();
    }
    [[nodiscard]] bool is_listed() const { return gemm_.ragged == LEVEE_RSA_RAGGED_M_LISTED; }
    [[nodiscard]] std::uint64_t m() const;
    [[nodiscard]] std::size_t product_count() const;
    [[nodiscard]] std::uint64_t row_elements(std::uint64_t n) const;

    CommandQueue& queue_;
    ArrayShape array_;
    bool single_pass_;
    std::array<Ring, 2> rings_;

    // The running operation.
    levee_rsa_operation gemm_{};
    StoredRows stored_;
    std::vector<Group> groups_;
    std::vector<std::uint32_t> rows_listed_; ///< ragged M: of A
    bool to_stream_ = false;
    bool from_stream_ = false;               ///< B comes from a stream port
    std::span<const std::uint8_t> streamed_; ///< functional runs: what arrives there

    // Of functional runs.
    std::vector<float> out_; // products one after another, each packed
    std::vector<float> columns_;
    std::vector<float> bias_;
    Loaded loaded_;
    Engine* engine_ = nullptr;
    Overflows overflows_; ///< of all operations
};

// Fields of the descriptor.
inline constexpr std::uint32_t field_a = operation_field(offsetof(levee_rsa_operation, a));
inline constexpr std::uint32_t field_b = operation_field(offsetof(levee_rsa_operation, b));
inline constexpr std::uint32_t field_a_scale =
    operation_field(offsetof(levee_rsa_operation, a_scale));
inline constexpr std::uint32_t field_b_scale =
    operation_field(offsetof(levee_rsa_operation, b_scale));
inline constexpr std::uint32_t field_bias = operation_field(offsetof(levee_rsa_operation, bias));
inline constexpr std::uint32_t field_out = operation_field(offsetof(levee_rsa_operation, out));
inline constexpr std::uint32_t field_lengths =
    operation_field(offsetof(levee_rsa_operation, lengths));
inline constexpr std::uint32_t field_redirect =
    operation_field(offsetof(levee_rsa_operation, redirect));
inline constexpr std::uint32_t field_b_type =
    operation_field(offsetof(levee_rsa_operation, b_type));
inline constexpr std::uint32_t field_tap = operation_field(offsetof(levee_rsa_operation, tap));

} // namespace levee::rsa
