// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/driver.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <utility>

namespace levee::rsa {

namespace {

/// A wave whose sums leave: a row of a pass of a group of a product, columns first_n to first_n +
/// n.
struct Leaving {
    std::uint32_t product = 0, group = 0, pass = 0, row = 0, first_n = 0, n = 0;
    bool has_left = false;
};

std::string describe(const Leaving& wave, const Product& product, std::uint32_t column)
{
    return "row " + std::to_string(wave.row) + ", column " + std::to_string(column) +
           " of product " + std::to_string(wave.product) + ", pass " + std::to_string(wave.pass) +
           " of " + std::to_string(product.passes()) +
           (product.group == 0 ? "" : ", group " + std::to_string(wave.group));
}

} // namespace

std::vector<PassSums> expected_of(const Work& work)
{
    std::vector<PassSums> sums;
    for (const Product& product : work.products)
        sums.push_back(pass_sums(product));
    return sums;
}

struct Driver::Progress {
    const Work& work;
    const Options& options;
    Shape shape;
    std::vector<Fold> folds;
    Run run;

    // What is offered next: a row of a fold, a wave of a fold.
    std::size_t row_fold = 0, wave_fold = 0;
    std::uint32_t row = 0, wave = 0;
    // Those that are offered, and those taken in this cycle, which must outlive it.
    StoredRow rows[2];
    Wave waves[2];
    unsigned row_at = 0, wave_at = 0;
    unsigned offered = 0; ///< bits of `gates` that stay until they are taken
    bool is_begun = false;
    std::uint64_t begun = 0;

    std::deque<Leaving> leaving;                        ///< entered, until the last lane has left
    std::size_t left = 0;                               ///< waves that are no longer in `leaving`
    std::array<std::size_t, most_lanes> next_of_lane{}; ///< wave, counted from the first one

    Progress(const Work& asked, const Options& given, const Shape& size)
        : work(asked), options(given), shape(size),
          folds(folds_of(size, asked.products, asked.block))
    {
        for (const Product& product : work.products)
            run.sums.emplace_back(product.groups() * product.sums());
        make_row();
        make_wave();
    }
    [[nodiscard]] bool done() const
    {
        return row_fold == folds.size() && wave_fold == folds.size() && leaving.empty();
    }
    [[nodiscard]] const Product& product_of(const Fold& fold) const
    {
        return work.products[fold.product];
    }
    void make_row()
    {
        if (row_fold < folds.size())
            rows[row_at] = stored_row(shape, product_of(folds[row_fold]), folds[row_fold], row);
    }
    void make_wave()
    {
        if (wave_fold < folds.size())
            waves[wave_at] = wave_of(product_of(folds[wave_fold]), folds[wave_fold], wave,
                                     block_of(shape, product_of(folds[wave_fold]), work.block));
    }
    void take_row()
    {
        ++row;
        if (rows[row_at].is_last) {
            row = 0;
            ++row_fold;
        }
        row_at ^= 1;
        make_row();
    }
    void take_wave()
    {
        const Fold& fold = folds[wave_fold];
        if (waves[wave_at].leaves)
            leaving.push_back({fold.product, fold.first_k / product_of(fold).group_elements(),
                               fold.b_byte * product_of(fold).a_bytes() + wave / fold.m,
                               fold.first_m + wave % fold.m, fold.first_n, fold.n, false});
        ++wave;
        if (waves[wave_at].is_last) {
            wave = 0;
            ++wave_fold;
        }
        wave_at ^= 1;
        make_wave();
    }
    /// The wave in `leaving` whose sum comes next at a lane; leaving.size(): none.
    [[nodiscard]] std::size_t next_at(std::uint32_t lane) const
    {
        std::size_t at = std::max(next_of_lane[lane], left) - left;
        while (at < leaving.size() && leaving[at].n <= lane)
            ++at;
        return at;
    }
    void take_sum(std::uint32_t lane, std::size_t at)
    {
        next_of_lane[lane] = left + at + 1;
        leaving[at].has_left = lane + 1 == leaving[at].n;
        for (; !leaving.empty() && leaving.front().has_left; ++left)
            leaving.pop_front();
    }
    /// Where the sums of a wave belong, column `first_n` + `lane`.
    [[nodiscard]] std::size_t index_of(const Leaving& of, std::uint32_t lane) const
    {
        const Product& its = work.products[of.product];
        return of.group * its.sums() + (std::size_t{of.pass} * its.m + of.row) * its.n +
               of.first_n + lane;
    }
    [[nodiscard]] std::string where() const
    {
        if (!leaving.empty())
            return describe(leaving.front(), work.products[leaving.front().product],
                            leaving.front().first_n);
        if (wave_fold == folds.size())
            return "behind the last wave";
        const Fold& fold = folds[wave_fold];
        return "before wave " + std::to_string(wave) + " of product " +
               std::to_string(fold.product) + ", k from " + std::to_string(fold.first_k) +
               ", n from " + std::to_string(fold.first_n);
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

/// Of the oldest wave whose sums have not left: its product, the pass of bytes, the piece of n.
RtlPlace Driver::place() const
{
    RtlPlace place;
    if (progress_ == nullptr || progress_->leaving.empty())
        return place;
    const Leaving& wave = progress_->leaving.front();
    const Product& product = progress_->work.products[wave.product];
    const Shape& shape = progress_->shape;
    place.entry = RtlPlace::index(wave.product / progress_->work.heads);
    place.head = RtlPlace::index(wave.product % progress_->work.heads);
    place.pass = RtlPlace::index(wave.pass);
    place.tile =
        RtlPlace::index(wave.first_n / (product.is_transposed ? shape.rows : shape.columns));
    return place;
}

void Driver::expect(const Inputs&, Outputs& out) const
{
    if (progress_ == nullptr || progress_->options.known().empty())
        return;
    for (std::uint32_t lane = 0; lane < progress_->shape.lanes(); ++lane) {
        const std::size_t at = progress_->next_at(lane);
        if ((out.lanes >> lane & 1) == 0 || at >= progress_->leaving.size())
            continue;
        const Leaving& wave = progress_->leaving[at];
        out.sums[lane] = progress_->options.known()[wave.product][progress_->index_of(wave, lane)];
    }
}

Inputs Driver::inputs(Progress& progress)
{
    const unsigned gates = open_gates((1u << channels) - 1) | progress.offered;
    Inputs in;
    if (progress.row_fold < progress.folds.size() && (gates & 1) != 0)
        in.row = &progress.rows[progress.row_at];
    if (progress.wave_fold < progress.folds.size() && (gates & 2) != 0)
        in.wave = &progress.waves[progress.wave_at];
    in.out_ready = (gates & 4) != 0;
    return in;
}

/// True if some channel transfers at the end of this cycle.
bool Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    const bool row = in.row != nullptr && out.load_ready;
    const bool wave = in.wave != nullptr && out.in_ready;
    const bool sums = out.lanes != 0 && in.out_ready;
    progress.offered =
        (in.row != nullptr && !row ? 1u : 0u) | (in.wave != nullptr && !wave ? 2u : 0u);
    if (in.row != nullptr && !std::exchange(progress.is_begun, true))
        progress.begun = operation_cycle();
    if (row)
        progress.take_row();
    if (wave)
        progress.take_wave();
    if (sums)
        progress.run.cycles = operation_cycle() + 1 - progress.begun;
    return row || wave || sums;
}

/// Valid lanes are compared in each cycle, whether taken or not.
void Driver::compare_values(Progress& progress, const Inputs& in, const Outputs& out)
{
    for (std::uint32_t lane = 0; lane < progress.shape.lanes() && !value(); ++lane)
        if ((out.lanes >> lane & 1) != 0)
            compare_lane(progress, lane, out.sums[lane], in.out_ready);
}

void Driver::compare_lane(Progress& progress, std::uint32_t lane, std::int32_t got, bool is_taken)
{
    const std::size_t at = progress.next_at(lane);
    if (at >= progress.leaving.size())
        return differ_in_value("out_valid_o",
                               "lane " + std::to_string(lane) + ", " + progress.where(), "0", "1");
    const Leaving wave = progress.leaving[at];
    if (is_taken)
        progress.take_sum(lane, at);
    const Product& product = progress.work.products[wave.product];
    const std::size_t index = progress.index_of(wave, lane);
    progress.run.sums[wave.product][index] = got;
    if (progress.options.expected.empty())
        return;
    count_comparison();
    const std::int32_t want = progress.options.expected[wave.product][index];
    if (got != want)
        differ_in_value("out_sums_o",
                        "lane " + std::to_string(lane) + ": " +
                            describe(wave, product, wave.first_n + lane),
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

} // namespace levee::rsa
