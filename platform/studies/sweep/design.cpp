// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/design.hpp"

#include "platform/studies/sweep/study_keys.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace levee::sweep {

namespace {

using config::Error;
using config::MapReader;
using config::Node;

constexpr std::size_t draws_a_point = 100; // a random sample draws up to this many times for each
                                           // point, since `where` may exclude points

std::vector<Axis> read_axes(const Node& node)
{
    if (!node.is_map() || node.entries.empty())
        throw Error(node.place, "'axes' is " +
                                    (node.is_map() ? "empty" : std::string(node.kind_name())) +
                                    "; expected a map of axes");
    std::vector<Axis> axes;
    std::vector<std::string> before;
    for (const Node::Entry& entry : node.entries) {
        axes.push_back(read_axis(entry, before));
        before.push_back(entry.key);
    }
    return axes;
}

std::size_t axis_named(const Node& name, const std::vector<Axis>& axes)
{
    std::vector<std::string> names;
    for (const Axis& axis : axes)
        names.push_back(axis.name);
    return config::find_word(name, "zip", names);
}

/// Reads one group of `zip`: at least two axes. Unless the study is sampled, they must have the
/// same number of values.
std::vector<std::size_t> read_group(const Node& list, const std::vector<Axis>& axes, bool sampled)
{
    if (!list.is_list() || list.items.size() < 2)
        throw Error(list.place, "'zip' has " + std::string(list.kind_name()) +
                                    " in its list; expected lists of two or more axes each, as in "
                                    "[[budget, window]]");
    std::vector<std::size_t> group;
    for (const Node& name : list.items) {
        const std::size_t axis = axis_named(name, axes);
        const std::size_t values = axes[axis].values.size();
        if (!group.empty() && !sampled && values != axes[group[0]].values.size())
            throw Error(name.place, "the axis '" + axes[axis].name + "' has " +
                                        std::to_string(values) + " values, but '" +
                                        axes[group[0]].name + "' has " +
                                        std::to_string(axes[group[0]].values.size()) +
                                        "; 'zip' expects axes with equally many values");
        group.push_back(axis);
    }
    return group;
}

std::vector<std::vector<std::size_t>> read_groups(const Node* zip, const Design& design)
{
    std::vector<std::vector<std::size_t>> zipped, groups;
    if (zip != nullptr && !zip->is_list())
        throw Error(zip->place, "'zip' is " + std::string(zip->kind_name()) +
                                    "; expected a list of lists of axes, as in [[budget, window]]");
    std::set<std::size_t> taken;
    for (const Node& list : zip != nullptr ? zip->items : std::vector<Node>{}) {
        zipped.push_back(read_group(list, design.axes, design.sample.has_value()));
        for (const std::size_t axis : zipped.back())
            if (!taken.insert(axis).second)
                throw Error(list.place, "the axis '" + design.axes[axis].name +
                                            "' is in 'zip' twice; expected each axis only once");
    }
    for (std::size_t axis = 0; axis < design.axes.size(); ++axis) {
        // A group has the position of its first axis.
        const auto group = std::find_if(zipped.begin(), zipped.end(),
                                        [&](const auto& all) { return all[0] == axis; });
        if (group != zipped.end())
            groups.push_back(*group);
        else if (!taken.contains(axis))
            groups.push_back({axis});
    }
    return groups;
}

std::optional<Sample> read_sample(MapReader& study)
{
    std::optional<MapReader> reader = study.map("sample");
    if (!reader)
        return std::nullopt;
    Sample sample;
    const bool random = reader->has("random"), latin = reader->has("latin_hypercube");
    if (random == latin)
        throw study.error("sample", "has " + std::string(random ? "both" : "neither") +
                                        " of 'random' and 'latin_hypercube'; expected one of them, "
                                        "with the number of points");
    sample.kind = random ? Sample::Kind::Random : Sample::Kind::LatinHypercube;
    sample.points = reader->quantity32(random ? "random" : "latin_hypercube");
    sample.seed = reader->quantity("seed");
    reader->finish();
    return sample;
}

/// Random numbers for one axis, equal on every machine. The C++ standard defines the engine, but
/// not its distributions, so this class has its own.
class Draws {
public:
    Draws(std::uint64_t seed, const std::string& name)
    {
        std::vector<std::uint32_t> words{static_cast<std::uint32_t>(seed),
                                         static_cast<std::uint32_t>(seed >> 32)};
        words.insert(words.end(), name.begin(), name.end());
        std::seed_seq sequence(words.begin(), words.end());
        engine_.seed(sequence);
    }

    /// Returns a number from 0 to below 1.
    double fraction() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

    std::size_t below(std::size_t bound)
    {
        return static_cast<std::size_t>(fraction() * static_cast<double>(bound));
    }

private:
    std::mt19937_64 engine_;
};

/// Adds an axis's value to the point, if the axis applies there.
void put(const Design& design, std::size_t index, const AxisValue& value, Point& point)
{
    const Axis& axis = design.axes[index];
    const TextOf text_of = [&](const std::string& name) -> std::optional<std::string> {
        for (std::size_t i = 0; i < design.axes.size(); ++i)
            if (design.axes[i].name == name && !point.at[i].label.empty())
                return point.at[i].label;
        return std::nullopt;
    };
    if (axis.only_if && !axis.only_if->holds(text_of))
        return;
    point.at[index] = value.at;
    point.overrides.insert(point.overrides.end(), value.overrides.begin(), value.overrides.end());
}

/// Returns a named point that has the value `value(axis)` on each axis.
template <typename ValueOf> Point point_of(const Design& design, const ValueOf& value)
{
    Point point;
    point.at.resize(design.axes.size());
    for (std::size_t axis = 0; axis < design.axes.size(); ++axis) // in this order, since only_if
                                                                  // may name earlier axes
        put(design, axis, value(axis), point);
    for (const Coordinate& at : point.at)
        if (!at.label.empty())
            point.name += (point.name.empty() ? "" : "/") + at.label;
    return point;
}

/// Collects points that `accept` accepts. Equal points are added once.
class Collection {
public:
    explicit Collection(const std::function<bool(const Point&)>& accept) : accept_(accept) {}

    void add(Point point)
    {
        std::string key;
        for (const Coordinate& at : point.at)
            key += at.label + '\n';
        if (known_.insert(std::move(key)).second && accept_(point))
            points.push_back(std::move(point));
    }

    std::vector<Point> points;

private:
    const std::function<bool(const Point&)>& accept_;
    std::set<std::string> known_;
};

std::vector<Point> every_point(const Design& design,
                               const std::function<bool(const Point&)>& accept)
{
    std::size_t number = 1;
    for (const auto& group : design.groups) {
        const Axis& axis = design.axes[group[0]];
        if (axis.values.empty())
            throw Error(axis.place, "the range '" + axis.name +
                                        "' needs one of 'steps' and 'step', or the study "
                                        "needs a 'sample'");
        number *= axis.values.size();
        if (number > most_points)
            throw Error(axis.place, "the axes have more than " + std::to_string(most_points) +
                                        " combinations; expected fewer values, or a 'sample'");
    }
    Collection all(accept);
    std::vector<std::size_t> chosen(design.axes.size());
    for (std::size_t point = 0; point < number; ++point) {
        std::size_t rest = point;
        for (auto group = design.groups.rbegin(); group != design.groups.rend(); ++group) {
            const std::size_t values = design.axes[(*group)[0]].values.size();
            for (const std::size_t axis : *group)
                chosen[axis] = rest % values;
            rest /= values;
        }
        all.add(point_of(design,
                         [&](std::size_t axis) { return design.axes[axis].values[chosen[axis]]; }));
    }
    return std::move(all.points);
}

std::vector<Draws> draws_of(const Design& design)
{
    std::vector<Draws> draws;
    for (const auto& group : design.groups)
        draws.emplace_back(design.sample->seed, design.axes[group[0]].name);
    return draws;
}

std::vector<Point> random_points(const Design& design,
                                 const std::function<bool(const Point&)>& accept)
{
    std::vector<Draws> draws = draws_of(design);
    Collection all(accept);
    const std::size_t most = draws_a_point * design.sample->points;
    for (std::size_t i = 0; i < most && all.points.size() < design.sample->points; ++i) {
        std::vector<double> fractions;
        for (Draws& group : draws)
            fractions.push_back(group.fraction());
        all.add(drawn_point(design, fractions));
    }
    return std::move(all.points);
}

/// Draws a Latin hypercube. Each axis is divided into as many strata as there are points, and each
/// stratum gives one value, in random order.
std::vector<Point> latin_hypercube(const Design& design,
                                   const std::function<bool(const Point&)>& accept)
{
    const std::size_t number = design.sample->points;
    std::vector<Draws> draws = draws_of(design);
    std::vector<std::vector<std::size_t>> orders;
    for (Draws& group : draws) {
        std::vector<std::size_t>& order = orders.emplace_back(number);
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = number; i > 1; --i)
            std::swap(order[i - 1], order[group.below(i)]);
    }
    Collection all(accept);
    for (std::size_t i = 0; i < number; ++i) {
        std::vector<double> fractions;
        for (std::size_t group = 0; group < draws.size(); ++group)
            fractions.push_back((static_cast<double>(orders[group][i]) + draws[group].fraction()) /
                                static_cast<double>(number));
        all.add(drawn_point(design, fractions));
    }
    return std::move(all.points);
}

} // namespace

Point drawn_point(const Design& design, const std::vector<double>& fractions)
{
    std::vector<double> of_axis(design.axes.size());
    for (std::size_t group = 0; group < design.groups.size(); ++group)
        for (const std::size_t axis : design.groups[group])
            of_axis[axis] = fractions[group];
    return point_of(design,
                    [&](std::size_t axis) { return design.axes[axis].drawn(of_axis[axis]); });
}

Design read_design(MapReader& study)
{
    Design design;
    const Node* axes = study.raw("axes", false);
    const Node* zip = study.raw("zip", false);
    design.sample = read_sample(study);
    if (axes != nullptr)
        design.axes = read_axes(*axes);
    for (const char* key : {"zip", "sample"})
        if (axes == nullptr && study.has(key))
            throw study.error(key, "is given without 'axes'");
    design.groups = read_groups(zip, design);
    return design;
}

std::vector<Point> points_of(const Design& design, const std::function<bool(const Point&)>& accept)
{
    if (design.axes.empty())
        return {};
    if (!design.sample)
        return every_point(design, accept);
    return design.sample->kind == Sample::Kind::Random ? random_points(design, accept)
                                                       : latin_hypercube(design, accept);
}

} // namespace levee::sweep
