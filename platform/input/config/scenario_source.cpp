// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/scenario.hpp"

namespace levee::config {

ScenarioSource::ScenarioSource(const std::string& name, const FileFinder& finder)
    : path_(finder.scenario(name)), finder_(finder.within(path_.parent_path())),
      base_(compose(path_, finder_, {}))
{
}

Node ScenarioSource::composed(const std::vector<std::string>& overrides) const
{
    Node tree = base_;
    apply_overrides(tree, finder_, overrides);
    return tree;
}

Scenario load_scenario(const ScenarioRequest& request, const FileFinder& finder)
{
    return ScenarioSource(request.name, finder).load(request.overrides, request.seed);
}

} // namespace levee::config
