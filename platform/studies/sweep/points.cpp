// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/points.hpp"

#include "platform/studies/sweep/study_keys.hpp"

namespace levee::sweep {

using config::Error;
using config::MapReader;
using config::Node;

/// Returns a list of "a.b=value", or a single one.
std::vector<std::string> read_overrides(const Node& node, const std::string& path)
{
    std::vector<std::string> overrides;
    const auto add = [&](const Node& item) {
        if (!item.is_scalar() || item.scalar.find('=') == std::string::npos)
            throw Error(item.place, "'" + path + "' has " +
                                        (item.is_scalar() ? "'" + item.scalar + "'"
                                                          : std::string(item.kind_name())) +
                                        "; expected KEY=VALUE, as in kv_cache.budget=128");
        overrides.push_back(item.scalar);
    };
    if (node.is_list())
        for (const Node& item : node.items)
            add(item);
    else
        add(node);
    return overrides;
}

/// Returns names with overrides: the values of an axis, or named points.
std::vector<Point> read_points(const Node& node, const std::string& path)
{
    if (!node.is_map() || node.entries.empty())
        throw Error(node.place, "'" + path + "' is " +
                                    (node.is_map() ? "empty" : std::string(node.kind_name())) +
                                    "; expected names, each with a list of KEY=VALUE");
    std::vector<Point> points;
    for (const Node::Entry& entry : node.entries)
        points.push_back({entry.key, read_overrides(entry.value, path + "." + entry.key)});
    return points;
}

std::vector<Point> combine(const std::vector<Point>& points, const std::vector<Point>& axis)
{
    std::vector<Point> combined;
    for (const Point& point : points)
        for (const Point& value : axis) {
            Point both = point;
            both.name += (both.name.empty() ? "" : "/") + value.name;
            both.overrides.insert(both.overrides.end(), value.overrides.begin(),
                                  value.overrides.end());
            combined.push_back(std::move(both));
        }
    return combined;
}

Column read_column(const Node::Entry& entry, const std::string& path)
{
    Column column;
    column.name = entry.key;
    column.place = entry.value.place;
    if (entry.value.is_scalar()) {
        column.metric = entry.value.scalar;
        return column;
    }
    MapReader fields(entry.value, path + "." + entry.key, column_keys);
    column.metric = fields.string("metric");
    if (fields.has("over"))
        column.over = fields.string("over");
    column.scale = fields.real("scale");
    if (fields.has("digits"))
        column.digits = fields.quantity32("digits");
    fields.finish();
    return column;
}

std::vector<Column> read_columns(MapReader& reader, const std::string& key)
{
    const Node* map = reader.raw(key, true);
    std::vector<Column> columns;
    if (map == nullptr)
        return columns;
    if (!map->is_map() || map->entries.empty())
        throw reader.error(key, "is " + std::string(map->kind_name()) +
                                    "; expected names, each with a metric of the results");
    for (const Node::Entry& entry : map->entries)
        columns.push_back(read_column(entry, key));
    return columns;
}

} // namespace levee::sweep
