// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ip/rsa/array_driver.hpp"
#include "ip/rsa/output/boundary.hpp"
#include "ip/rsa/output/folds.hpp"
#include "ip/rsa/output/pins.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace levee::rsa::output {

/// An operation.
struct Work {
    std::vector<Product> products;
    std::uint32_t heads = 1; ///< consecutive products of an entry, for messages
};

/// The reference's sums of each product.
[[nodiscard]] std::vector<Sums> expected_of(const Work& work);

struct Run {
    std::vector<Sums> sums;   ///< sums of each product
    std::uint64_t cycles = 0; ///< Cycles from the first offered bytes to the last lane of the last
                              ///< sums.
};

/// The remaining work of an operation (ip/rsa/array_driver.hpp).
class Progress {
public:
    using Work = output::Work;
    using Run = output::Run;
    using Options = RtlRunOptions<Sums>;

    /// `work` must outlive it.
    Progress(const Work& work, const Shape& shape);

    [[nodiscard]] bool done() const;
    [[nodiscard]] const ColumnBytes* next_load() const;
    [[nodiscard]] const Wave* next_wave() const;
    void take_load();
    void take_wave();
    [[nodiscard]] std::optional<SumPlace> next_sum(std::uint32_t lane) const;
    [[nodiscard]] std::string describe_sum(std::uint32_t lane) const;
    void take_sum(std::uint32_t lane);
    [[nodiscard]] bool owes_sums() const { return !leaving_.empty(); }
    [[nodiscard]] std::string where() const;
    /// The oldest sums that have not left: their product, the group of k, the piece of n.
    [[nodiscard]] RtlPlace place() const;

    Run run;

private:
    /// Sums of a group of a fold that are leaving the array. A lane has the rows one after another,
    /// the last one first.
    struct Leaving {
        Fold fold;
        std::uint32_t group = 0;
        bool has_left = false;
    };
    /// The next row at a lane: the number of rows that are out of the sums with number `leaving`.
    struct Next {
        std::size_t leaving = 0;
        std::uint32_t rows_out = 0;
    };

    [[nodiscard]] const Product& product_of(const Fold& fold) const
    {
        return work_.products[fold.product];
    }
    void make_columns();
    void make_wave();
    [[nodiscard]] std::size_t next_at(std::uint32_t lane) const;
    [[nodiscard]] std::uint32_t row_at(std::uint32_t lane, std::size_t at) const;

    const Work& work_;
    Shape shape_;
    std::vector<Fold> folds_;

    // The next offers: a load of a fold, a wave of a fold.
    std::size_t load_fold_ = 0, wave_fold_ = 0;
    std::uint32_t load_ = 0, wave_ = 0;
    // Columns that are offered, and columns taken in this cycle, which must outlive it.
    ColumnBytes columns_[2];
    Wave waves_[2];
    unsigned columns_at_ = 0, wave_at_ = 0;

    std::deque<Leaving> leaving_;            ///< entered, until the last lane's last row has left
    std::size_t left_ = 0;                   ///< Number of sums that are no longer in `leaving_`.
    std::array<Next, most_lanes> next_of_{}; ///< next row of each lane
};

using Driver = ArrayDriver<Ports, Boundary, Progress>;

} // namespace levee::rsa::output
