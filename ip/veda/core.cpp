// SPDX-License-Identifier: Apache-2.0
#include "ip/veda/core.hpp"

#include "ip/veda/model.hpp"
#include "ip/veda/timing.hpp"

namespace levee::veda {

void ReferenceCore::begin(const Configuration& configuration)
{
    configuration_ = configuration;
    beats_ = 0;
}

void ReferenceCore::run(std::span<const Product> side_by_side)
{
    for (const Product& product : side_by_side)
        multiply(shape_, configuration_, product);
    beats_ += beats_of(shape_, configuration_, side_by_side);
}

std::uint64_t ReferenceCore::finish()
{
    return beats_ + fill_cycles(shape_, configuration_.mode);
}

} // namespace levee::veda
