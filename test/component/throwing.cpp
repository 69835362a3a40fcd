// SPDX-License-Identifier: Apache-2.0
// A plug-in that throws exceptions other than scenario errors, in `read` or when its module is
// created.
#include "core/component/component.hpp"
#include "core/component/plugin.hpp"
#include "core/component/registry.hpp"

#include <stdexcept>

using namespace levee;

LEVEE_PLUGIN;

namespace {

constexpr Declaration declaration{.type = "throwing"};

ComponentPlan read(config::MapReader& reader, const ComponentDefaults&)
{
    if (reader.string("in") == "read")
        throw std::out_of_range("table::at");
    ComponentPlan plan;
    plan.make = [](const std::string&, const ComponentContext&) -> Component {
        throw std::logic_error("no lanes");
    };
    return plan;
}

const ComponentRegistration registration(declaration, read);

} // namespace
