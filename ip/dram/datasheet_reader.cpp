// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/datasheet_reader.hpp"

#include "core/config/reader.hpp"
#include "ip/dram/datasheet_keys.hpp"

#include <optional>

namespace levee::config {

namespace {

void need_source(MapReader& reader)
{
    if (reader.string("source").empty())
        throw reader.error("source", "is empty; expected the publication that states the values");
}

dram::Rail read_rail(const Node& node, const std::string& path, const dram::Datasheet& stated)
{
    MapReader reader(node, path, dram::rail_keys);
    const auto unless = [&](bool is_stated, const char* key) {
        (void)reader.raw(key, !is_stated);
        return reader.quantity(key);
    };
    dram::Rail rail;
    rail.millivolts = reader.quantity("voltage");
    rail.idd0 = unless(stated.activate.has_value(), "idd0");
    rail.idd2n = reader.quantity("idd2n");
    rail.idd3n = reader.quantity("idd3n");
    rail.idd3n_bank = reader.quantity("idd3n_bank", rail.idd3n);
    rail.idd4r = unless(stated.read_bit.has_value(), "idd4r");
    rail.idd4w = unless(stated.write_bit.has_value(), "idd4w");
    rail.idd5 = reader.quantity("idd5");
    if (reader.has("idd5_bank"))
        rail.idd5_bank = reader.quantity("idd5_bank");
    rail.idd6 = reader.quantity("idd6", rail.idd2n);
    reader.finish();
    return rail;
}

/// Energy of a bit, `{energy: 3.48 pJ, per: bit}`, in attojoules.
std::uint64_t read_bit(MapReader reader)
{
    const std::uint64_t energy = reader.quantity("energy");
    (void)reader.word<int>("per");
    reader.finish();
    return energy;
}

void read_energies(MapReader& reader, dram::Datasheet& datasheet)
{
    const auto bit = [&](const char* key) -> std::optional<std::uint64_t> {
        const std::optional<MapReader> own = reader.map(key);
        return own ? std::optional(read_bit(*own)) : std::nullopt;
    };
    datasheet.read_bit = bit("read");
    datasheet.write_bit = bit("write");
    datasheet.interface_read_bit = bit("interface_read").value_or(0);
    datasheet.interface_write_bit = bit("interface_write").value_or(0);
    if (std::optional<MapReader> activate = reader.map("activate")) {
        datasheet.activate = activate->quantity("energy");
        datasheet.activate_bytes = activate->quantity("per");
        activate->finish();
    }
}

dram::Datasheet read_one(const Node& node, const std::string& path)
{
    MapReader reader(node, path, dram::datasheet_keys);
    need_source(reader);
    dram::Datasheet datasheet;
    if (reader.has("assumed"))
        datasheet.assumed = reader.string("assumed");
    datasheet.low = reader.real("low");
    datasheet.high = reader.real("high");
    datasheet.data_bits = reader.quantity32("data_bits");
    datasheet.data_rate = reader.quantity("data_rate");
    read_energies(reader, datasheet);
    const Node* rails = reader.raw("rails", true);
    reader.finish();
    if (!rails->is_map() || rails->entries.empty())
        throw reader.error("rails", "is " + std::string(rails->kind_name()) +
                                        "; expected a map from supplies to their currents");
    for (const Node::Entry& rail : rails->entries)
        datasheet.rails.push_back(read_rail(rail.value, path + ".rails." + rail.key, datasheet));
    const std::vector<std::string> faults = dram::validate(datasheet);
    if (!faults.empty())
        throw Error(node.place, "'" + path + "': " + faults.front());
    return datasheet;
}

} // namespace

dram::Datasheet read_dram_datasheet(const Node& families, const std::string& path,
                                    const std::string& standard)
{
    if (!families.is_map())
        throw Error(families.place, "'" + path + "' is " + std::string(families.kind_name()) +
                                        "; expected a map from families of standards, such as "
                                        "LPDDR5, to datasheets");
    const std::string family = standard.substr(0, standard.find('-'));
    std::optional<dram::Datasheet> found;
    std::string names;
    for (const Node::Entry& entry : families.entries) {
        const dram::Datasheet datasheet = read_one(entry.value, path + "." + entry.key);
        if (entry.key == family)
            found = datasheet;
        names += (names.empty() ? "" : ", ") + entry.key;
    }
    if (!found)
        throw Error(families.place, "'" + path + "' has no currents of " + family +
                                        ", the family of the standard '" + standard +
                                        "'; expected one of " + names);
    return *found;
}

} // namespace levee::config
