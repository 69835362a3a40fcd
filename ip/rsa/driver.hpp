// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/array_driver.hpp"
#include "ip/rsa/boundary.hpp"
#include "ip/rsa/folds.hpp"
#include "ip/rsa/pins.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace levee::rsa {

/// An operation.
struct Work {
    std::vector<Product> products;
    /// Largest number of rows of A that the accumulators hold at the same time.
    std::uint32_t block = UINT32_MAX;
    std::uint32_t heads = 1; ///< consecutive products of an entry, for messages
    /// A piece of B is loaded once for all rows of A. Each must be complete in k: sums then leave
    /// at once, and rows use accumulators in turn.
    bool stays = false;
};

/// The reference's sums of each product.
[[nodiscard]] std::vector<PassSums> expected_of(const Work& work);

struct Run {
    std::vector<PassSums> sums; ///< sums of each product
    std::uint64_t cycles = 0;   ///< Cycles from the first offered row to the last lane of the last
                                ///< sums.
};

/// The remaining work of an operation (ip/rsa/array_driver.hpp).
class Progress {
public:
    using Work = rsa::Work;
    using Run = rsa::Run;
    using Options = RtlRunOptions<PassSums>;

    /// `work` must outlive it.
    Progress(const Work& work, const Shape& shape);

    [[nodiscard]] bool done() const;
    [[nodiscard]] const StoredRow* next_load() const;
    [[nodiscard]] const Wave* next_wave() const;
    void take_load();
    void take_wave();
    [[nodiscard]] std::optional<SumPlace> next_sum(std::uint32_t lane) const;
    [[nodiscard]] std::string describe_sum(std::uint32_t lane) const;
    void take_sum(std::uint32_t lane);
    [[nodiscard]] bool owes_sums() const { return !leaving_.empty(); }
    [[nodiscard]] std::string where() const;
    /// The oldest wave whose sums have not left: its product, the pass of bytes, the piece of n.
    [[nodiscard]] RtlPlace place() const;

    Run run;

private:
    /// A wave whose sums leave: a row of a pass of a group of a product, columns first_n to
    /// first_n + n.
    struct Leaving {
        std::uint32_t product = 0, group = 0, pass = 0, row = 0, first_n = 0, n = 0;
        bool has_left = false;
    };

    /// The shape whose accumulators bound the rows of A that pass a piece.
    [[nodiscard]] Shape folding() const
    {
        return {shape_.rows, shape_.columns, work_.stays ? UINT32_MAX : shape_.sums};
    }
    [[nodiscard]] const Product& product_of(const Fold& fold) const
    {
        return work_.products[fold.product];
    }
    void make_row();
    void make_wave();
    [[nodiscard]] std::size_t next_at(std::uint32_t lane) const;
    [[nodiscard]] std::string describe(const Leaving& wave, std::uint32_t column) const;

    const Work& work_;
    Shape shape_;
    std::vector<Fold> folds_;

    // The next offers: a row of a fold, a wave of a fold.
    std::size_t row_fold_ = 0, wave_fold_ = 0;
    std::uint32_t row_ = 0, wave_ = 0;
    // Rows that are offered, and rows taken in this cycle, which must outlive it.
    StoredRow rows_[2];
    Wave waves_[2];
    unsigned row_at_ = 0, wave_at_ = 0;

    std::deque<Leaving> leaving_; ///< waves that have entered, until their last lane has left
    std::size_t left_ = 0;        ///< waves that are no longer in `leaving_`
    /// Next wave of each lane, counted from the first wave.
    std::array<std::size_t, most_lanes> next_of_lane_{};
};

using Driver = ArrayDriver<Ports, Boundary, Progress>;

} // namespace levee::rsa
