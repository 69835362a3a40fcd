// SPDX-License-Identifier: Apache-2.0
// Studies and explorations: their axes, conditions, columns and points. Their base scenario is
// base.yaml.
#include "platform/studies/sweep/study.hpp"

#include "fuzz/door.hpp"
#include "platform/studies/explore/search_space.hpp"

namespace {

using namespace levee;

constexpr std::string_view base = "system: systems/core.yaml\nworkload:\n  app: hello\nseed: 3\n";

/// Reads the first and the last point of an exploration's space.
void use_space(const std::filesystem::path& file, const config::FileFinder& finder)
{
    const sweep::Draft draft = sweep::read_draft(file, finder, {});
    const config::ScenarioSource source(draft.study.scenario.string(), finder);
    const explore::SearchSpace space(draft, source);
    std::vector<double> first, last;
    for (const explore::Dimension& dimension : space.dimensions()) {
        first.push_back(0.0);
        last.push_back(dimension.values == 0 ? 0.5 : static_cast<double>(dimension.values - 1));
    }
    (void)space.takes(space.at(first));
    (void)explore::identity(space.at(last));
    if (space.size())
        (void)space.all(16);
}

} // namespace

std::string levee::fuzz::feed(Bytes input)
{
    static const Folder folder;
    static const auto written = folder.write("base.yaml", bytes_of(base));
    static const config::FileFinder finder(LEVEE_SCENARIOS);
    const std::filesystem::path file = folder.write("input.yaml", input);
    return refusal<config::Error>("", [&] { (void)sweep::read_study(file, finder, {}); }) +
           refusal<config::Error>("", [&] { use_space(file, finder); });
}
