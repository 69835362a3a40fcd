// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/declaration.hpp"
#include "ip/edram/module.hpp"

#include <algorithm>
#include <stdexcept>

namespace levee::edram {

namespace {

std::uint32_t low_word(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value);
}
std::uint32_t high_word(std::uint64_t value)
{
    return static_cast<std::uint32_t>(value >> 32);
}
std::uint32_t saturated(std::uint64_t value)
{
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

} // namespace

void Edram::describe_registers()
{
    const Geometry& geometry = config_.array.geometry;
    const auto constant = [this](const char* name, std::uint32_t offset, std::uint64_t value) {
        register_file_.add({name, offset, [value] { return low_word(value); }, {}});
    };
    constant("ID", LEVEE_EDRAM_ID, declaration.number);
    register_file_.add({"CONTROL", LEVEE_EDRAM_CONTROL, [] { return 0u; },
                        [this](std::uint32_t value) {
                            if (value & LEVEE_EDRAM_CONTROL_FORGET) {
                                array_.forget(now());
                                refresh_->changed();
                            }
                        }});
    constant("SIZE", LEVEE_EDRAM_SIZE, size_bytes_);
    constant("VALUES", LEVEE_EDRAM_VALUES, geometry.sides() > 1 ? geometry.side_bytes() : 0);
    constant("SCORE_OFFSET", LEVEE_EDRAM_SCORE_OFFSET, size_bytes_);
    constant("SCORE_COUNT", LEVEE_EDRAM_SCORE_COUNT, Array::score_count(geometry));
    register_file_.add({"VALID_ROWS",
                        LEVEE_EDRAM_VALID_ROWS,
                        [this] {
                            std::uint64_t rows = 0;
                            for (const std::uint64_t group : array_.refresh().valid_rows())
                                rows += group;
                            return saturated(rows);
                        },
                        {}});
    constant("VIOLATIONS", LEVEE_EDRAM_VIOLATIONS, 0);
    constant("ROW_BYTES", LEVEE_EDRAM_ROW_BYTES, geometry.row_bytes);
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        describe_group(group);
    for (unsigned region = 0; region < LEVEE_EDRAM_REGIONS; ++region)
        describe_region(region);
}

void Edram::describe_group(unsigned group)
{
    const std::string number = std::to_string(group);
    const auto interval = [this, group] { return array_.refresh().interval(group); };
    const auto refreshes = [this, group] {
        array_.settle(now());
        return array_.refresh().refreshed()[group];
    };
    register_file_.add({"INTERVAL_LO_" + number, LEVEE_EDRAM_INTERVAL(group),
                        [interval] { return low_word(interval()); },
                        [this, group](std::uint32_t value) { interval_low_[group] = value; }});
    register_file_.add({"INTERVAL_HI_" + number, LEVEE_EDRAM_INTERVAL(group) + 4,
                        [interval] { return high_word(interval()); },
                        [this, group](std::uint32_t value) {
                            const Time given = std::uint64_t{value} << 32 | interval_low_[group];
                            if (given > never / 4)
                                throw std::invalid_argument(
                                    name_ + ": a refresh interval of " + std::to_string(given) +
                                    " ps; expected, in ps, at most " + std::to_string(never / 4));
                            array_.set_interval(group, given, now());
                            refresh_->changed();
                        }});
    register_file_.add({"REFRESHES_LO_" + number,
                        LEVEE_EDRAM_REFRESHES(group),
                        [refreshes] { return low_word(refreshes()); },
                        {}});
    register_file_.add({"REFRESHES_HI_" + number,
                        LEVEE_EDRAM_REFRESHES(group) + 4,
                        [refreshes] { return high_word(refreshes()); },
                        {}});
}

void Edram::describe_region(unsigned number)
{
    const std::string suffix = "_" + std::to_string(number);
    const auto add = [&](const char* name, std::uint32_t offset, std::uint64_t Region::*member) {
        Region& region = next_region_[number];
        register_file_.add({"REGION_" + (name + suffix), offset,
                            [&region, member] { return low_word(region.*member); },
                            [&region, member](std::uint32_t value) { region.*member = value; }});
    };
    add("OFFSET", LEVEE_EDRAM_REGION_OFFSET(number), &Region::offset);
    add("VECTOR_BYTES", LEVEE_EDRAM_REGION_VECTOR_BYTES(number), &Region::vector_bytes);
    add("FIRST_ENTRY", LEVEE_EDRAM_REGION_FIRST_ENTRY(number), &Region::first_entry);
    add("BITS", LEVEE_EDRAM_REGION_BITS(number), &Region::element_bits);
    register_file_.add({"REGION_VECTORS" + suffix, LEVEE_EDRAM_REGION_VECTORS(number),
                        [this, number] { return low_word(array_.region(number).vectors); },
                        [this, number](std::uint32_t value) {
                            next_region_[number].vectors = value;
                            try {
                                array_.set_region(number, next_region_[number], now());
                                refresh_->changed();
                            } catch (const std::invalid_argument& error) {
                                throw std::invalid_argument(name_ + ": " + error.what());
                            }
                        }});
}

void Edram::report(Stats& stats)
{
    array_.settle(now());
    stats.add("read_bytes", read_bytes_);
    stats.add("write_bytes", written_bytes_);
    for (unsigned group = 0; group < LEVEE_EDRAM_GROUPS; ++group)
        report_group(stats, group);
    stats.add("refresh.most_load", array_.refresh().most_load(), FigureKind::Level);
    stats.add("flipped_bits", array_.flipped_bits());
}

void Edram::report_group(Stats& stats, unsigned group) const
{
    const std::string name = group_names[group];
    const Refresh& refresh = array_.refresh();
    stats.add("refresh." + name, refresh.refreshed()[group]);
    stats.add("interval_s." + name, seconds(refresh.interval(group)), FigureKind::Level);
    stats.add("valid_row_seconds." + name,
              refresh.row_time()[group] / static_cast<double>(ps_per_second));
    if (!config_.array.retention)
        return;
    const AgeCounts& ages = array_.ages();
    stats.add("age." + name + ".oldest_s", seconds(ages.oldest[group]), FigureKind::Level);
    for (unsigned i = 0; i < AgeCounts::buckets; ++i)
        if (ages.rows[group][i] > 0)
            stats.add("age." + name + ".below_" + std::to_string(std::uint64_t{1} << i) + "us",
                      ages.rows[group][i]);
}

} // namespace levee::edram
