#include "platform/decisions/statistics.hpp"

#include "platform/config/reader.hpp"

namespace levee {

DecisionStatistics read_statistics(const config::Node& node)
{
    config::MapReader reader(node, "decisions.statistics");
    DecisionStatistics statistics;
    statistics.holders = reader.real("holders", 0.0, 1.0);
    reader.finish();
    return statistics;
}

} // namespace levee
