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

/// The products of one operation.
struct Work {
    std::vector<Product> products;
    /// Maximum number of rows of A whose sums the accumulators can hold at the same time.
    std::uint32_t block = UINT32_MAX;
    std::uint32_t heads = 1; ///< Number of products of a batch entry, for messages.
    /// Each piece of B is loaded once for all rows of A. Every piece must then cover all of k. Sums
    /// leave as soon as they are complete, and rows of A reuse the accumulators.
    bool stays = false;
};

/// Returns the reference's sums for each product.
[[nodiscard]] std::vector<PassSums> expected_of(const Work& work);

struct Run {
    std::vector<PassSums> sums; ///< Sums of each product.
    std::uint64_t cycles = 0;   ///< Cycles from the first offered row to the last lane of the last
                                ///< sums.
};

/// The remaining work of an operation (ip/rsa/array_driver.hpp).
class Progress {
public:
    using Work = rsa::Work;
    using Run = rsa::Run;
    using Options = RtlRunOptions<PassSums>;

    /// `work` must outlive this object.
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
    /// Returns the position of the oldest wave whose sums have not left: its product, its pass
    /// (pair of bytes), and its piece of n.
    [[nodiscard]] RtlPlace place() const;

    Run run;

private:
    /// A wave whose sums are leaving. The sums belong to a row, in a pass of a group of a product,
    /// and to the n columns from first_n on.
    struct Leaving {
        std::uint32_t product = 0, group = 0, pass = 0, row = 0, first_n = 0, n = 0;
        bool has_left = false;
    };

    /// Returns the shape that determines the folds. Its accumulators limit how many rows of A use
    /// one piece of B.
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

    // The next row to offer and the next wave to offer, each with its fold.
    std::size_t row_fold_ = 0, wave_fold_ = 0;
    std::uint32_t row_ = 0, wave_ = 0;
    // Rows and waves that are offered or were taken in this cycle. The buffers keep them until the
    // next cycle.
    StoredRow rows_[2];
    Wave waves_[2];
    unsigned row_at_ = 0, wave_at_ = 0;

    std::deque<Leaving> leaving_; ///< Waves that have entered and whose last lane has not left.
    std::size_t left_ = 0;        ///< Waves that are no longer in `leaving_`.
    /// Next wave of each lane, counted from the first wave.
    std::array<std::size_t, most_lanes> next_of_lane_{};
};

using Driver = ArrayDriver<Ports, Boundary, Progress>;

} // namespace levee::rsa
