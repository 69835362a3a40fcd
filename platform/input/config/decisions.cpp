// SPDX-License-Identifier: Apache-2.0
#include "platform/input/config/decisions.hpp"

#include "platform/input/config/decisions_keys.hpp"

namespace levee::config {

DecisionsConfig read_decisions(MapReader& scenario, const FileFinder& finder, DataMode data,
                               bool has_model)
{
    DecisionsConfig decisions;
    const Node* const node = scenario.raw("decisions", false);
    if (node == nullptr) {
        if (data == DataMode::TimingOnly && has_model)
            throw scenario.error("data", "is timing-only and has no source of decisions; expected "
                                         "'decisions:' with 'recorded' or 'statistics'");
        return decisions;
    }
    if (data != DataMode::TimingOnly)
        throw Error(node->place, "'decisions' has no effect with 'data: functional', which makes "
                                 "its own; expected 'data: timing_only'");
    MapReader reader(*node, "decisions", decisions_keys);
    const Node* const recorded = reader.raw("recorded", false);
    const Node* const statistics = reader.raw("statistics", false);
    if (recorded != nullptr)
        decisions.recorded = finder.file(reader.string("recorded"), recorded->place);
    decisions.expert_skew = reader.real("expert_skew");
    if (recorded != nullptr && node->find("expert_skew") != nullptr)
        throw reader.error("expert_skew", "has no effect on a recording; expected 'statistics'");
    reader.finish();
    if ((recorded == nullptr) == (statistics == nullptr))
        throw Error(node->place, std::string("'decisions' has ") +
                                     (recorded == nullptr ? "neither" : "both") +
                                     " of 'recorded' and 'statistics'; expected one of them");
    decisions.place = recorded != nullptr ? recorded->place : statistics->place;
    if (statistics != nullptr)
        decisions.statistics = *statistics;
    return decisions;
}

} // namespace levee::config
