// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/command/command_queue.hpp"
#include "core/command/view.hpp"
#include "core/numerics/overflow.hpp"
#include "ip/rsa/engine.hpp"
#include "ip/rsa/gemm_cost.hpp"
#include "ip/rsa/gemm_operation.hpp"
#include "ip/rsa/gemm_streams.hpp"
#include "ip/rsa/model.hpp"
#include "ip/rsa/product_list.hpp"
#include "ip/rsa/stored_rows.hpp"

#include <cstdint>
#include <vector>

namespace levee::rsa {

/// Executes one LEVEE_RSA_GEMM: operands, products and the writing of results. A timing-only run
/// has neither operands nor products. It only makes accesses that memories track, so its host time
/// does not grow with the matrices.
class GemmRun {
public:
    GemmRun(CommandQueue& queue, const ArrayShape& array, bool single_pass);

    /// Fills `operation`, except for the block's own time, which the caller computes from the
    /// returned cycles. Throws CommandFault.
    GemmCost prepare(const levee_descriptor& descriptor, Operation& operation);

    /// Sets the hardware that computes the sums of functional runs; null selects the reference. The
    /// engine must outlive this object.
    void use(Engine* engine) { engine_ = engine; }

    [[nodiscard]] Ring& ring(unsigned number) { return streams_.ring(number); }

    [[nodiscard]] const Overflows& overflows() const { return overflows_; }

private:
    /// Rows of an operand that are used in place, `pitch` bytes apart.
    struct InPlace {
        const std::uint8_t* bytes = nullptr; ///< Null: the rows were read instead.
        std::uint64_t size = 0, pitch = 0;
    };
    /// Operands of one product: packed copies, except those used in place.
    struct Loaded {
        std::vector<std::uint8_t> a, b;
        std::vector<float> a_scale, b_scale, keep, bias;
        InPlace b_rows, b_scale_rows;
    };

    [[nodiscard]] unsigned pass_count() const;
    /// Calls visit(view) for the accesses to an operand of a group's products. Accesses that no
    /// memory tracks may be omitted.
    void for_each_access(Direction direction, const OperandLoops& operand,
                         const ProductGroup& group, auto visit) const;
    void run(Operation& operation);
    bool load(const ProductGroup& group, Loaded& loaded);
    [[nodiscard]] bool finds(InPlace& rows, const OperandLoops& operand,
                             const ProductGroup& product);
    void find_in_place(const ProductGroup& product, Loaded& loaded);
    template <typename Element>
    void load_listed(const OperandLoops& operand, const ProductGroup& group,
                     std::vector<Element>& into);
    void load_redirected(const ProductGroup& group, std::vector<std::uint8_t>& into);
    void take_rows(const AccessPattern& b, std::vector<std::uint8_t>& into) const;
    void multiply_by_engine();
    [[nodiscard]] Gemm gemm_of(const ProductGroup& product, const Loaded& loaded);
    [[nodiscard]] std::vector<float> full_rows() const;
    void write_products(std::uint32_t first, std::uint32_t last);
    void write_columns(std::uint32_t first, std::uint32_t last);

    CommandQueue& queue_;
    ArrayShape array_;
    bool single_pass_;
    Engine* engine_ = nullptr;

    // State of the current operation.
    GemmOperation gemm_;
    StoredRows stored_;
    ProductList products_;
    GemmStreams streams_;

    // Used only in functional runs.
    std::vector<float> out_; // Products one after another, each packed.
    std::vector<float> columns_;
    std::vector<float> bias_;
    Loaded loaded_;
    Overflows overflows_;
};

} // namespace levee::rsa
