// SPDX-License-Identifier: Apache-2.0
#include "ip/element_serial/core.hpp"

#include "core/numerics/numerics.hpp"
#include "ip/element_serial/timing.hpp"

namespace levee::element_serial {

void ReferenceCore::begin(const Reduction& reduction)
{
    reduction_ = reduction;
    fill_ = reduce_fill(reduction.function, tile_);
    next_ = 0;
}

void ReferenceCore::begin(const Normalisation& normalisation)
{
    normalisation_ = normalisation;
    fill_ = normalise_fill(normalisation.function);
    next_ = set_up(normalisation.function);
}

void ReferenceCore::run(const Incoming& vector)
{
    const Function function = reduction_.function;
    for (std::size_t i = 0; i < vector.x.size(); ++i)
        vector.v[i] = entered(function, reduction_.scale, vector.x[i],
                              vector.y.empty() ? no_addend : fp16_to_fp32(vector.y[i]));
    *vector.statistics = reduce(function, tile_, vector.v);
    length_ = vector.x.size();
    begun_ = next_;
    next_ += reduce_pace(function, tile_).cycles(length_);
}

void ReferenceCore::run(const Outgoing& vector)
{
    const Function function = normalisation_.function;
    length_ = vector.v.size();
    const Factors factors = factors_of(function, vector.statistics,
                                       static_cast<std::uint32_t>(length_), normalisation_.epsilon);
    for (std::size_t i = 0; i < vector.v.size(); ++i)
        vector.out[i] = normalised(function, factors, vector.v[i],
                                   vector.gain.empty() ? no_factor : vector.gain[i],
                                   vector.bias.empty() ? no_addend : vector.bias[i]);
    begun_ = next_;
    next_ += normalise_pace(function).cycles(length_);
}

std::uint64_t ReferenceCore::finish()
{
    return begun_ + length_ + fill_;
}

} // namespace levee::element_serial
