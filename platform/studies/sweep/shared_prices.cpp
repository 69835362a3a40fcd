// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/shared_prices.hpp"

#include "ip/dram/known_costs.hpp"

namespace levee::sweep {

Handed shared_prices()
{
    dram::KnownCosts& costs = dram::share_costs();
    return {[&costs] { return costs.added(); },
            [&costs](const std::string& given) { costs.take(given); }};
}

} // namespace levee::sweep
