// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/output/driver.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <utility>

namespace levee::rsa::output {

namespace {

/// Sums on their way out: of a group of a fold. A lane has the rows one after another, the last one
/// first.
struct Leaving {
    Fold fold;
    std::uint32_t group = 0;
    bool has_left = false;
};

/// What comes next at a lane: of the sums of number `leaving` since the first, so many rows are
/// out.
struct Next {
    std::size_t leaving = 0;
    std::uint32_t rows_out = 0;
};

std::string describe(const Leaving& sums, std::uint32_t row, std::uint32_t lane)
{
    return "row " + std::to_string(sums.fold.first_m + row) + ", column " +
           std::to_string(sums.fold.first_n + lane) + " of product " +
           std::to_string(sums.fold.product) + ", group " + std::to_string(sums.group);
}

} // namespace

std::vector<Sums> expected_of(const Work& work)
{
    std::vector<Sums> sums;
    for (const Product& product : work.products)
        sums.push_back(sums_of(product));
    return sums;
}

struct Driver::Progress {
    const Work& work;
    const Options& options;
    Shape shape;
    std::vector<Fold> folds;
    Run run;

    // What is offered next: a load of a fold, a wave of a fold.
    std::size_t load_fold = 0, wave_fold = 0;
    std::uint32_t load = 0, wave = 0;
    // Those that are offered, and those taken in this cycle, which must outlive it.
    ColumnBytes columns[2];
    Wave waves[2];
    unsigned columns_at = 0, wave_at = 0;
    unsigned offered = 0; ///< bits of `gates` that stay until they are taken
    bool is_begun = false;
    std::uint64_t begun = 0;

    std::deque<Leaving> leaving;            ///< entered, until the last lane's last row has left
    std::size_t left = 0;                   ///< those that are no longer in `leaving`
    std::array<Next, most_lanes> next_of{}; ///< of each lane

    Progress(const Work& asked, const Options& given, const Shape& size)
        : work(asked), options(given), shape(size), folds(folds_of(size, asked.products))
    {
        for (const Product& product : work.products)
            run.sums.emplace_back(std::size_t{product.groups()} * product.m * product.n);
        make_columns();
        make_wave();
    }
    [[nodiscard]] bool done() const
    {
        return load_fold == folds.size() && wave_fold == folds.size() && leaving.empty();
    }
    [[nodiscard]] const Product& product_of(const Fold& fold) const
    {
        return work.products[fold.product];
    }
    void make_columns()
    {
        if (load_fold < folds.size())
            columns[columns_at] = columns_of(product_of(folds[load_fold]), folds[load_fold], load);
    }
    void make_wave()
    {
        if (wave_fold < folds.size())
            waves[wave_at] = wave_of(shape, product_of(folds[wave_fold]), folds[wave_fold], wave);
    }
    void take_columns()
    {
        if (++load == loads_of(product_of(folds[load_fold]))) {
            load = 0;
            ++load_fold;
        }
        columns_at ^= 1;
        make_columns();
    }
    void take_wave()
    {
        const Fold& fold = folds[wave_fold];
        const Product& its = product_of(fold);
        if (waves[wave_at].leaves)
            leaving.push_back({fold, wave / its.passes() / its.group_elements(), false});
        if (++wave == waves_of(its)) {
            wave = 0;
            ++wave_fold;
        }
        wave_at ^= 1;
        make_wave();
    }
    /// Index in `leaving` of the sums that come next at a lane; leaving.size(): none.
    [[nodiscard]] std::size_t next_at(std::uint32_t lane) const
    {
        std::size_t at = std::max(next_of[lane].leaving, left) - left;
        while (at < leaving.size() && leaving[at].fold.n <= lane)
            ++at;
        return at;
    }
    /// Of these, the row.
    [[nodiscard]] std::uint32_t row_at(std::uint32_t lane, std::size_t at) const
    {
        const bool is_begun_there = next_of[lane].leaving == left + at;
        return leaving[at].fold.m - 1 - (is_begun_there ? next_of[lane].rows_out : 0);
    }
    void take_sum(std::uint32_t lane, std::size_t at)
    {
        if (row_at(lane, at) > 0) {
            next_of[lane] = {left + at, leaving[at].fold.m - row_at(lane, at)};
            return;
        }
        next_of[lane] = {left + at + 1, 0};
        leaving[at].has_left = lane + 1 == leaving[at].fold.n;
        for (; !leaving.empty() && leaving.front().has_left; ++left)
            leaving.pop_front();
    }
    /// Where a row's sum belongs, column `first_n` + `lane`.
    [[nodiscard]] std::size_t index_of(const Leaving& of, std::uint32_t row,
                                       std::uint32_t lane) const
    {
        const Product& its = product_of(of.fold);
        return (std::size_t{of.group} * its.m + of.fold.first_m + row) * its.n + of.fold.first_n +
               lane;
    }
    [[nodiscard]] std::string where() const
    {
        if (!leaving.empty())
            return describe(leaving.front(), leaving.front().fold.m - 1, 0);
        if (wave_fold == folds.size())
            return "behind the last wave";
        const Fold& fold = folds[wave_fold];
        return "before wave " + std::to_string(wave) + " of product " +
               std::to_string(fold.product) + ", row " + std::to_string(fold.first_m) +
               ", column " + std::to_string(fold.first_n);
    }
};

Run Driver::run(const Work& work, const Options& options)
{
    Progress progress(work, options, pins().size());
    progress_ = &progress;
    drive(*this, progress, options);
    progress_ = nullptr;
    return std::move(progress.run);
}

/// Of the oldest sums that have not left: their product, the group of k, the piece of n.
RtlPlace Driver::place() const
{
    RtlPlace place;
    if (progress_ == nullptr || progress_->leaving.empty())
        return place;
    const Leaving& sums = progress_->leaving.front();
    place.entry = RtlPlace::index(sums.fold.product / progress_->work.heads);
    place.head = RtlPlace::index(sums.fold.product % progress_->work.heads);
    place.pass = RtlPlace::index(sums.group);
    place.tile = RtlPlace::index(sums.fold.first_n / progress_->shape.columns);
    return place;
}

void Driver::expect(const Inputs&, Outputs& out) const
{
    if (progress_ == nullptr || progress_->options.known().empty())
        return;
    for (std::uint32_t lane = 0; lane < progress_->shape.columns; ++lane) {
        const std::size_t at = progress_->next_at(lane);
        if ((out.lanes >> lane & 1) == 0 || at >= progress_->leaving.size())
            continue;
        const Leaving& sums = progress_->leaving[at];
        out.sums[lane] = progress_->options.known()[sums.fold.product][progress_->index_of(
            sums, progress_->row_at(lane, at), lane)];
    }
}

Inputs Driver::inputs(Progress& progress)
{
    const unsigned gates = open_gates((1u << channels) - 1) | progress.offered;
    Inputs in;
    if (progress.load_fold < progress.folds.size() && (gates & 1) != 0)
        in.columns = &progress.columns[progress.columns_at];
    if (progress.wave_fold < progress.folds.size() && (gates & 2) != 0)
        in.wave = &progress.waves[progress.wave_at];
    in.out_ready = (gates & 4) != 0;
    return in;
}

/// True if some channel transfers at the end of this cycle.
bool Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    const bool columns = in.columns != nullptr && out.load_ready;
    const bool wave = in.wave != nullptr && out.in_ready;
    const bool sums = out.lanes != 0 && in.out_ready;
    progress.offered =
        (in.columns != nullptr && !columns ? 1u : 0u) | (in.wave != nullptr && !wave ? 2u : 0u);
    if (in.columns != nullptr && !std::exchange(progress.is_begun, true))
        progress.begun = operation_cycle();
    if (columns)
        progress.take_columns();
    if (wave)
        progress.take_wave();
    if (sums)
        progress.run.cycles = operation_cycle() + 1 - progress.begun;
    return columns || wave || sums;
}

/// Valid lanes are compared in each cycle, whether taken or not.
void Driver::compare_values(Progress& progress, const Inputs& in, const Outputs& out)
{
    for (std::uint32_t lane = 0; lane < progress.shape.columns && !value(); ++lane)
        if ((out.lanes >> lane & 1) != 0)
            compare_lane(progress, lane, out.sums[lane], in.out_ready);
}

void Driver::compare_lane(Progress& progress, std::uint32_t lane, std::int64_t got, bool is_taken)
{
    const std::size_t at = progress.next_at(lane);
    if (at >= progress.leaving.size())
        return differ_in_value("out_valid_o",
                               "lane " + std::to_string(lane) + ", " + progress.where(), "0", "1");
    const Leaving sums = progress.leaving[at];
    const std::uint32_t row = progress.row_at(lane, at);
    if (is_taken)
        progress.take_sum(lane, at);
    const std::size_t index = progress.index_of(sums, row, lane);
    progress.run.sums[sums.fold.product][index] = got;
    if (progress.options.expected.empty())
        return;
    count_comparison();
    const std::int64_t want = progress.options.expected[sums.fold.product][index];
    if (got != want)
        differ_in_value("out_sums_o",
                        "lane " + std::to_string(lane) + ": " + describe(sums, row, lane),
                        std::to_string(want), std::to_string(got));
}

void Driver::give_up(const Progress& progress)
{
    RtlDriver::give_up(progress.leaving.empty() ? "in_ready_o" : "out_valid_o", progress.where());
}

void Driver::compare_boundary(const Inputs&, const Outputs& want, const Outputs& got)
{
    const auto compare = [&](std::uint32_t wanted, std::uint32_t is, const char* signal) {
        if (wanted != is)
            differ_in_cycle(signal, progress_ == nullptr ? "" : progress_->where(),
                            std::to_string(wanted), std::to_string(is));
    };
    compare(want.load_ready, got.load_ready, "load_ready_o");
    compare(want.in_ready, got.in_ready, "in_ready_o");
    if (want.lanes != got.lanes)
        differ_in_cycle("out_valid_o", progress_ == nullptr ? "" : progress_->where(),
                        hex(want.lanes, 8), hex(got.lanes, 8));
}

const char* Driver::busy_signal(const Outputs& out) const
{
    return out.lanes != 0    ? "out_valid_o"
           : out.in_ready    ? "in_ready_o"
           : !out.load_ready ? "load_ready_o"
                             : nullptr;
}

} // namespace levee::rsa::output
