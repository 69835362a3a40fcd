#pragma once

#include "ip/common/command_queue.hpp"
#include "ip/rsa/regs.h"
#include "ip/rsa/stored_rows.hpp"
#include "ip/rsa/timing.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace levee::rsa {

/// One LEVEE_RSA_GEMM in execution: its checks, its operands, its products and their way back to
/// memory.
class GemmRun {
public:
    struct Cost {
        std::uint64_t cycles = 0;
        std::uint64_t macs = 0;
        std::uint64_t folds = 0;
        std::uint64_t passes = 0; ///< fold by fold
    };

    GemmRun(CommandQueue& queue, const ArrayShape& array, bool single_pass)
        : queue_(queue), array_(array), single_pass_(single_pass), stored_(queue)
    {
    }

    /// Fills `operation` but for its own pace, which follows from the cycles returned.
    /// Throws CommandFault.
    Cost prepare(const levee_descriptor& descriptor, Operation& operation);

private:
    /// One product of the (o0, o1) loops.
    struct Product {
        std::uint32_t o0, o1;
        std::uint64_t k, n;
        std::size_t out;                  ///< where its results begin in out_
        std::size_t index;                ///< in products_
        std::uint64_t rows_elsewhere = 0; ///< of B
    };
    struct Traffic {
        std::uint64_t a = 0, b = 0, b_elsewhere = 0, a_scale = 0, b_scale = 0, out = 0; // bytes
    };

    void check() const;
    void check_alignment() const;
    void list_products();
    void read_redirect();
    Cost count(Traffic& traffic) const;
    void open(Operation& operation, const Traffic& traffic);
    void open_stationary(Operation& operation, const AccessPattern& longest,
                         const Traffic& traffic);
    void open_output(Operation& operation, std::uint64_t bytes);
    void multiply(const Product& product);
    void load(const Product& product, const AccessPattern& a, const AccessPattern& b);
    [[nodiscard]] std::vector<float> full_rows() const;
    void write_products(std::uint32_t first, std::uint32_t last);
    void write_columns(std::uint32_t first, std::uint32_t last);

    [[nodiscard]] bool is_transposed() const;
    [[nodiscard]] std::uint64_t m() const;
    [[nodiscard]] std::uint64_t row_elements(const Product& product) const;
    [[nodiscard]] AccessPattern rows_at(std::uint64_t address, const std::int32_t (&stride)[4],
                                        const Product& product, std::uint64_t run_bytes) const;
    [[nodiscard]] AccessPattern stationary(const Product& product) const;

    CommandQueue& queue_;
    ArrayShape array_;
    bool single_pass_;

    // The running operation.
    levee_rsa_operation gemm_{};
    StoredRows stored_;
    std::vector<Product> products_;
    bool to_stream_ = false;
    std::vector<float> out_; // products one after another, each packed
    std::vector<float> columns_;
    std::vector<std::uint8_t> a_, b_;
    std::vector<float> a_scale_, b_scale_, bias_;
};

} // namespace levee::rsa
