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

/// The products of one operation.
struct Work {
    std::vector<Product> products;
    std::uint32_t heads = 1; ///< Number of products of a batch entry, for messages.
};

/// Returns the reference's sums for each product.
[[nodiscard]] std::vector<Sums> expected_of(const Work& work);

struct Run {
    std::vector<Sums> sums;
    std::uint64_t cycles = 0; ///< Cycles from the first offered bytes to the last lane of the last
                              ///< sums.
};

/// The remaining work of an operation (ip/rsa/array_driver.hpp).
class Progress {
public:
    using Work = output::Work;
    using Run = output::Run;
    using Options = RtlRunOptions<Sums>;

    /// `work` must outlive this object.
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
    /// Returns the position of the oldest sums that have not left: their product, their group of k,
    /// and their piece of n.
    [[nodiscard]] RtlPlace place() const;

    Run run;

private:
    /// Sums of a fold (or of one of its groups) that are leaving the array. A lane outputs the rows
    /// one after another, the last row first.
    struct Leaving {
        Fold fold;
        std::uint32_t group = 0;
        bool has_left = false;
    };
    /// Next row at a lane. `leaving` is the number of the set of sums; the other member counts the
    /// rows of this set that have left.
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

    // The next load to offer and the next wave to offer, each with its fold.
    std::size_t load_fold_ = 0, wave_fold_ = 0;
    std::uint32_t load_ = 0, wave_ = 0;
    // Columns and waves that are offered or were taken in this cycle. The buffers keep them until
    // the next cycle.
    ColumnBytes columns_[2];
    Wave waves_[2];
    unsigned columns_at_ = 0, wave_at_ = 0;

    std::deque<Leaving> leaving_;            ///< Sums whose wave has entered and whose last lane
                                             ///< has not output the last row.
    std::size_t left_ = 0;                   ///< Sums that are no longer in `leaving_`.
    std::array<Next, most_lanes> next_of_{}; ///< Next row of each lane.
};

using Driver = ArrayDriver<Ports, Boundary, Progress>;

} // namespace levee::rsa::output
