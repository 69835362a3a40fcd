// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/scenario.hpp"

namespace levee::config {

namespace {

/// Throws Error if a user's RTL (core/rtl/build) names files or folders outside the places that a
/// scenario's files may use.
void check_rtl(const Node& tree, const FileFinder& finder)
{
    for (const Node& item : tree.items)
        check_rtl(item, finder);
    for (const Node::Entry& entry : tree.entries) {
        check_rtl(entry.value, finder);
        if (entry.key != "rtl")
            continue;
        for (const char* const key : {"files", "include"})
            if (const Node* const paths = entry.value.find(key))
                for (const Node& path : paths->items)
                    finder.check_reach(folder_beside(path.place) / path.scalar, path.place);
    }
}

} // namespace

ScenarioSource::ScenarioSource(const std::string& name, const FileFinder& finder)
    : path_(finder.scenario(name)), finder_(finder.within(path_.parent_path())), sources_{path_},
      base_(compose(path_, finder_.noting(sources_), {}))
{
    check_rtl(base_, finder_); // files that overrides name are unrestricted
}

Node ScenarioSource::composed(const std::vector<std::string>& overrides,
                              const FileFinder& finder) const
{
    Node tree = base_;
    apply_overrides(tree, finder, overrides);
    return tree;
}

Node ScenarioSource::composed(const std::vector<std::string>& overrides) const
{
    return composed(overrides, finder_);
}

Scenario load_scenario(const ScenarioRequest& request, const FileFinder& finder)
{
    return ScenarioSource(request.name, finder).load(request.overrides, request.seed);
}

} // namespace levee::config
