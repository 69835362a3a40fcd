// SPDX-License-Identifier: Apache-2.0
// The shipped retention curve in scenarios/tech/edram.
#pragma once

#include "core/config/node.hpp"
#include "core/config/quantity.hpp"
#include "ip/edram/retention.hpp"

#include <string>
#include <vector>

namespace levee::edram_test {

inline std::vector<edram::CurvePoint> shipped_curve()
{
    const config::Node file =
        config::load_yaml(LEVEE_EDRAM_TECH "/retention_65nm_105c.yaml", nullptr);
    std::vector<edram::CurvePoint> points;
    for (const config::Node& point : file.find("curve")->items)
        points.push_back(
            {config::parse_quantity(point.items[0].scalar, config::Dimension::Time).value,
             std::stod(point.items[1].scalar)});
    return points;
}

} // namespace levee::edram_test
