// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/output/driver.hpp"

#include <algorithm>

namespace levee::rsa::output {

namespace {

std::string describe(const Fold& fold, std::uint32_t group, std::uint32_t row, std::uint32_t lane)
{
    return "row " + std::to_string(fold.first_m + row) + ", column " +
           std::to_string(fold.first_n + lane) + " of product " + std::to_string(fold.product) +
           ", group " + std::to_string(group);
}

} // namespace

std::vector<Sums> expected_of(const Work& work)
{
    std::vector<Sums> sums;
    for (const Product& product : work.products)
        sums.push_back(sums_of(product));
    return sums;
}

Progress::Progress(const Work& work, const Shape& shape)
    : work_(work), shape_(shape), folds_(folds_of(shape, work.products))
{
    for (const Product& product : work.products)
        run.sums.emplace_back(std::size_t{product.groups()} * product.m * product.n);
    make_columns();
    make_wave();
}

bool Progress::done() const
{
    return load_fold_ == folds_.size() && wave_fold_ == folds_.size() && leaving_.empty();
}

const ColumnBytes* Progress::next_load() const
{
    return load_fold_ < folds_.size() ? &columns_[columns_at_] : nullptr;
}

const Wave* Progress::next_wave() const
{
    return wave_fold_ < folds_.size() ? &waves_[wave_at_] : nullptr;
}

void Progress::make_columns()
{
    if (load_fold_ < folds_.size())
        columns_[columns_at_] =
            columns_of(product_of(folds_[load_fold_]), folds_[load_fold_], load_);
}

void Progress::make_wave()
{
    if (wave_fold_ < folds_.size())
        waves_[wave_at_] =
            wave_of(shape_, product_of(folds_[wave_fold_]), folds_[wave_fold_], wave_);
}

void Progress::take_load()
{
    if (++load_ == loads_of(product_of(folds_[load_fold_]))) {
        load_ = 0;
        ++load_fold_;
    }
    columns_at_ ^= 1;
    make_columns();
}

void Progress::take_wave()
{
    const Fold& fold = folds_[wave_fold_];
    const Product& its = product_of(fold);
    if (waves_[wave_at_].leaves)
        leaving_.push_back({fold, wave_ / its.passes() / its.group_elements(), false});
    if (++wave_ == waves_of(its)) {
        wave_ = 0;
        ++wave_fold_;
    }
    wave_at_ ^= 1;
    make_wave();
}

/// Returns the index in `leaving_` of the next sums at a lane; leaving_.size() if there are
/// none.
std::size_t Progress::next_at(std::uint32_t lane) const
{
    std::size_t at = std::max(next_of_[lane].leaving, left_) - left_;
    while (at < leaving_.size() && leaving_[at].fold.n <= lane)
        ++at;
    return at;
}

/// Returns the row of the fold whose sum a lane outputs next.
std::uint32_t Progress::row_at(std::uint32_t lane, std::size_t at) const
{
    const bool is_begun_there = next_of_[lane].leaving == left_ + at;
    return leaving_[at].fold.m - 1 - (is_begun_there ? next_of_[lane].rows_out : 0);
}

std::optional<SumPlace> Progress::next_sum(std::uint32_t lane) const
{
    const std::size_t at = next_at(lane);
    if (at >= leaving_.size())
        return std::nullopt;
    const Fold& fold = leaving_[at].fold;
    const Product& its = product_of(fold);
    const std::size_t row =
        std::size_t{leaving_[at].group} * its.m + fold.first_m + row_at(lane, at);
    return SumPlace{fold.product, row * its.n + fold.first_n + lane};
}

std::string Progress::describe_sum(std::uint32_t lane) const
{
    const std::size_t at = next_at(lane);
    return describe(leaving_[at].fold, leaving_[at].group, row_at(lane, at), lane);
}

void Progress::take_sum(std::uint32_t lane)
{
    const std::size_t at = next_at(lane);
    const Fold& fold = leaving_[at].fold;
    if (const std::uint32_t row = row_at(lane, at); row > 0) {
        next_of_[lane] = {left_ + at, fold.m - row};
        return;
    }
    next_of_[lane] = {left_ + at + 1, 0};
    leaving_[at].has_left = lane + 1 == fold.n;
    for (; !leaving_.empty() && leaving_.front().has_left; ++left_)
        leaving_.pop_front();
}

std::string Progress::where() const
{
    if (!leaving_.empty())
        return describe(leaving_.front().fold, leaving_.front().group, leaving_.front().fold.m - 1,
                        0);
    if (wave_fold_ == folds_.size())
        return "after the last wave";
    const Fold& fold = folds_[wave_fold_];
    return "before wave " + std::to_string(wave_) + " of product " + std::to_string(fold.product) +
           ", row " + std::to_string(fold.first_m) + ", column " + std::to_string(fold.first_n);
}

RtlPlace Progress::place() const
{
    RtlPlace place;
    if (leaving_.empty())
        return place;
    const Leaving& sums = leaving_.front();
    place.entry = RtlPlace::index(sums.fold.product / work_.heads);
    place.head = RtlPlace::index(sums.fold.product % work_.heads);
    place.pass = RtlPlace::index(sums.group);
    place.tile = RtlPlace::index(sums.fold.first_n / shape_.columns);
    return place;
}

} // namespace levee::rsa::output
