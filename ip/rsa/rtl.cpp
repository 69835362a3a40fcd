// SPDX-License-Identifier: Apache-2.0
#include "ip/rsa/rtl.hpp"

#include <memory>
#include <utility>

namespace levee::rsa {

namespace {

std::vector<std::vector<std::int64_t>> totals_of(const Work& work,
                                                 const std::vector<PassSums>& sums)
{
    std::vector<std::vector<std::int64_t>> totals;
    for (std::size_t i = 0; i < work.products.size(); ++i)
        totals.push_back(combine(work.products[i], sums[i]));
    return totals;
}

} // namespace

RtlEngine::RtlEngine(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode)
{
}

RtlEngine::~RtlEngine() = default;

std::vector<std::vector<std::int64_t>> RtlEngine::multiply(std::vector<Product> products,
                                                           std::uint32_t block, std::uint32_t heads)
{
    const auto work = std::make_shared<const Work>(Work{std::move(products), block, heads});
    const Run run = perform(work);
    if (in_lockstep())
        check_cycles("cycles until the last sums",
                     cycles_of(size(), work->products, folds_of(size(), work->products, block)),
                     run.cycles);
    return totals_of(*work, run.sums);
}

} // namespace levee::rsa
