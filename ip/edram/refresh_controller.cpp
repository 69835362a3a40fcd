// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/refresh_controller.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace levee::edram {

RefreshController::RefreshController(const sc_core::sc_module_name& name, const Geometry& geometry,
                                     const RefreshConfig& config)
    : RefreshController(name, geometry, std::make_unique<Refresh>(geometry, config))
{
}

RefreshController::RefreshController(const sc_core::sc_module_name& name, const Geometry& geometry,
                                     std::unique_ptr<Refresh> rules)
    : sc_module(name), control("control"), load("load"), valid_rows("valid_rows"),
      pairs_(std::size_t{geometry.sides()} * geometry.bank_pairs()), rules_(std::move(rules))
{
    control.bind(*this);
    SC_METHOD(publish);
    sensitive << changed_;
    dont_initialize();
}

void RefreshController::start_of_simulation()
{
    observed_ = load.size() + valid_rows.size() > 0;
    changed();
}

void RefreshController::publish()
{
    if (load.size() > 0) {
        double most = 0.0;
        for (std::size_t pair = 0; pair < pairs_; ++pair)
            most = std::max(most, rules_->load(pair));
        load->write(most);
    }
    if (valid_rows.size() > 0) {
        const GroupCounts& rows = rules_->valid_rows();
        valid_rows->write(std::accumulate(rows.begin(), rows.end(), std::uint64_t{0}));
    }
}

} // namespace levee::edram
