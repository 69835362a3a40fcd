// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/driver.hpp"

#include <algorithm>

namespace levee::rsa {

std::vector<PassSums> expected_of(const Work& work)
{
    std::vector<PassSums> sums;
    for (const Product& product : work.products)
        sums.push_back(pass_sums(product));
    return sums;
}

Progress::Progress(const Work& work, const Shape& shape)
    : work_(work), shape_(shape), folds_(folds_of(folding(), work.products, work.block))
{
    for (const Product& product : work.products)
        run.sums.emplace_back(product.groups() * product.sums());
    make_row();
    make_wave();
}

bool Progress::done() const
{
    return row_fold_ == folds_.size() && wave_fold_ == folds_.size() && leaving_.empty();
}

const StoredRow* Progress::next_load() const
{
    return row_fold_ < folds_.size() ? &rows_[row_at_] : nullptr;
}

const Wave* Progress::next_wave() const
{
    return wave_fold_ < folds_.size() ? &waves_[wave_at_] : nullptr;
}

void Progress::make_row()
{
    if (row_fold_ < folds_.size())
        rows_[row_at_] = stored_row(shape_, product_of(folds_[row_fold_]), folds_[row_fold_], row_);
}

void Progress::make_wave()
{
    if (wave_fold_ == folds_.size())
        return;
    const Fold& fold = folds_[wave_fold_];
    const Product& product = product_of(fold);
    Wave& wave = waves_[wave_at_];
    wave = wave_of(product, fold, wave_, block_of(folding(), product, work_.block));
    wave.sum = static_cast<std::uint16_t>(wave.sum % shape_.sums);
}

void Progress::take_load()
{
    ++row_;
    if (rows_[row_at_].is_last) {
        row_ = 0;
        ++row_fold_;
    }
    row_at_ ^= 1;
    make_row();
}

void Progress::take_wave()
{
    const Fold& fold = folds_[wave_fold_];
    if (waves_[wave_at_].leaves)
        leaving_.push_back({fold.product, fold.first_k / product_of(fold).group_elements(),
                            fold.b_byte * product_of(fold).a_bytes() + wave_ / fold.m,
                            fold.first_m + wave_ % fold.m, fold.first_n, fold.n, false});
    ++wave_;
    if (waves_[wave_at_].is_last) {
        wave_ = 0;
        ++wave_fold_;
    }
    wave_at_ ^= 1;
    make_wave();
}

/// Returns the index in `leaving_` of the wave whose sum a lane outputs next; leaving_.size() if
/// there is none.
std::size_t Progress::next_at(std::uint32_t lane) const
{
    std::size_t at = std::max(next_of_lane_[lane], left_) - left_;
    while (at < leaving_.size() && leaving_[at].n <= lane)
        ++at;
    return at;
}

std::optional<SumPlace> Progress::next_sum(std::uint32_t lane) const
{
    const std::size_t at = next_at(lane);
    if (at >= leaving_.size())
        return std::nullopt;
    const Leaving& wave = leaving_[at];
    const Product& its = work_.products[wave.product];
    return SumPlace{wave.product, wave.group * its.sums() +
                                      (std::size_t{wave.pass} * its.m + wave.row) * its.n +
                                      wave.first_n + lane};
}

void Progress::take_sum(std::uint32_t lane)
{
    const std::size_t at = next_at(lane);
    next_of_lane_[lane] = left_ + at + 1;
    leaving_[at].has_left = lane + 1 == leaving_[at].n;
    for (; !leaving_.empty() && leaving_.front().has_left; ++left_)
        leaving_.pop_front();
}

std::string Progress::describe(const Leaving& wave, std::uint32_t column) const
{
    const Product& product = work_.products[wave.product];
    return "row " + std::to_string(wave.row) + ", column " + std::to_string(column) +
           " of product " + std::to_string(wave.product) + ", pass " + std::to_string(wave.pass) +
           " of " + std::to_string(product.passes()) +
           (product.group == 0 ? "" : ", group " + std::to_string(wave.group));
}

std::string Progress::describe_sum(std::uint32_t lane) const
{
    const Leaving& wave = leaving_[next_at(lane)];
    return describe(wave, wave.first_n + lane);
}

std::string Progress::where() const
{
    if (!leaving_.empty())
        return describe(leaving_.front(), leaving_.front().first_n);
    if (wave_fold_ == folds_.size())
        return "after the last wave";
    const Fold& fold = folds_[wave_fold_];
    return "before wave " + std::to_string(wave_) + " of product " + std::to_string(fold.product) +
           ", k from " + std::to_string(fold.first_k) + ", n from " + std::to_string(fold.first_n);
}

RtlPlace Progress::place() const
{
    RtlPlace place;
    if (leaving_.empty())
        return place;
    const Leaving& wave = leaving_.front();
    const bool is_transposed = work_.products[wave.product].is_transposed;
    place.entry = RtlPlace::index(wave.product / work_.heads);
    place.head = RtlPlace::index(wave.product % work_.heads);
    place.pass = RtlPlace::index(wave.pass);
    place.tile = RtlPlace::index(wave.first_n / (is_transposed ? shape_.rows : shape_.columns));
    return place;
}

} // namespace levee::rsa
