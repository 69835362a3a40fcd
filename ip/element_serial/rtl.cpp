// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/rtl.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/element_serial/timing.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace levee::element_serial {

namespace {

std::uint64_t cycles_of(const Shape& shape, const Work& work)
{
    const Configuration& configuration = work.configuration;
    const Function function = configuration.function;
    const Pace pace =
        configuration.normalise ? normalise_pace(function) : reduce_pace(function, shape.tile);
    std::uint64_t cycles = configuration.normalise ? set_up(function) + normalise_fill(function)
                                                   : reduce_fill(function, shape.tile);
    for (const VectorWork& vector : work.vectors)
        cycles += &vector == &work.vectors.back() ? vector.elements.size()
                                                  : pace.cycles(vector.elements.size());
    return cycles;
}

} // namespace

RtlCore::RtlCore(std::string block, MakePins make, RtlMode mode)
    : RtlTwin(std::move(block), make, mode)
{
}

RtlCore::~RtlCore() = default;

void RtlCore::begin(const Reduction& reduction)
{
    work_ = std::make_shared<Work>();
    work_->configuration = {false, reduction.function, false,
                            std::bit_cast<std::uint32_t>(reduction.scale), 0};
    destinations_.clear();
}

void RtlCore::begin(const Normalisation& normalisation)
{
    work_ = std::make_shared<Work>();
    work_->configuration = {true, normalisation.function, true,
                            std::bit_cast<std::uint32_t>(normalisation.epsilon), 0};
    destinations_.clear();
}

void RtlCore::run(const Incoming& vector)
{
    constexpr std::uint16_t none = 0x8000; // -0, the neutral addend of vectors without y.
    VectorWork work;
    for (std::size_t i = 0; i < vector.x.size(); ++i)
        work.elements.push_back(
            {std::bit_cast<std::uint32_t>(vector.x[i]), 0, vector.y.empty() ? none : vector.y[i]});
    work_->vectors.push_back(std::move(work));
    destinations_.push_back({vector.v, vector.statistics});
}

void RtlCore::run(const Outgoing& vector)
{
    VectorWork work;
    work.statistics = vector.statistics;
    for (std::size_t i = 0; i < vector.v.size(); ++i)
        work.elements.push_back(
            {vector.v[i],
             std::bit_cast<std::uint32_t>(vector.gain.empty() ? no_factor : vector.gain[i]),
             std::bit_cast<std::uint32_t>(vector.bias.empty() ? no_addend : vector.bias[i])});
    work_->configuration.count = std::bit_cast<std::uint32_t>(static_cast<float>(vector.v.size()));
    work_->vectors.push_back(std::move(work));
    destinations_.push_back({vector.out, nullptr});
}

std::uint64_t RtlCore::finish()
{
    const std::uint64_t before = driver().cycles(), expected = cycles_of(size(), *work_);
    hand_out(perform(work_));
    if (is_clocked_in_time())
        return expected;
    const std::uint64_t cycles = driver().cycles() - before;
    check_cycles("cycles of the operation", expected, cycles);
    return cycles;
}

void RtlCore::hand_out(const std::vector<VectorResult>& results)
{
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::copy(results[i].out.begin(), results[i].out.end(), destinations_[i].out.begin());
        if (destinations_[i].statistics != nullptr)
            *destinations_[i].statistics = results[i].statistics;
    }
}

} // namespace levee::element_serial
