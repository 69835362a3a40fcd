// SPDX-License-Identifier: Apache-2.0
#include "ip/dram/datasheet_reader.hpp"

#include "core/config/reader.hpp"

#include <optional>

namespace levee::config {

namespace {

/// Products of a voltage and a current stay within 64 bits, in nanowatts.
constexpr Limits up_to_1000_amperes{0, 1'000'000'000};
constexpr Limits up_to_100_volts{1, 100'000};

void need_source(MapReader& reader)
{
    if (reader.string("source").empty())
        throw reader.error("source", "is empty; expected where the values are from");
}

dram::Rail read_rail(const Node& node, const std::string& path, const dram::Datasheet& stated)
{
    MapReader reader(node, path);
    const auto current = [&](const char* key, bool optional = false) {
        return reader.quantity(key, Dimension::Current, up_to_1000_amperes,
                               optional ? std::optional<std::uint64_t>(0) : std::nullopt);
    };
    dram::Rail rail;
    rail.millivolts = reader.quantity("voltage", Dimension::Voltage, up_to_100_volts);
    rail.idd0 = current("idd0", stated.activate.has_value());
    rail.idd2n = current("idd2n");
    rail.idd3n = current("idd3n");
    rail.idd3n_bank = reader.has("idd3n_bank") ? current("idd3n_bank") : rail.idd3n;
    rail.idd4r = current("idd4r", stated.read_bit.has_value());
    rail.idd4w = current("idd4w", stated.write_bit.has_value());
    rail.idd5 = current("idd5");
    if (reader.has("idd5_bank"))
        rail.idd5_bank = current("idd5_bank");
    reader.finish();
    return rail;
}

/// Energy of a bit, `{energy: 3.48 pJ, per: bit}`, in attojoules.
std::uint64_t read_bit(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    const std::uint64_t energy = reader.quantity("energy", Dimension::Energy, {0, 1'000'000'000});
    (void)reader.choice<int>("per", {{"bit", 0}});
    reader.finish();
    return energy;
}

void read_energies(MapReader& reader, dram::Datasheet& datasheet)
{
    const auto bit = [&](const char* key) -> std::optional<std::uint64_t> {
        const Node* node = reader.raw(key, false);
        if (node == nullptr)
            return std::nullopt;
        return read_bit(*node, reader.path() + "." + key);
    };
    datasheet.read_bit = bit("read");
    datasheet.write_bit = bit("write");
    datasheet.interface_read_bit = bit("interface_read").value_or(0);
    datasheet.interface_write_bit = bit("interface_write").value_or(0);
    if (const Node* node = reader.raw("activate", false)) {
        MapReader activate(*node, reader.path() + ".activate");
        datasheet.activate =
            activate.quantity("energy", Dimension::Energy, {0, 1'000'000'000'000'000});
        datasheet.activate_bytes = activate.quantity("per", Dimension::Size, {1, 1U << 20});
        activate.finish();
    }
}

dram::Datasheet read_one(const Node& node, const std::string& path)
{
    MapReader reader(node, path);
    need_source(reader);
    dram::Datasheet datasheet;
    datasheet.data_bits = reader.count32("data_bits", {1, 4096});
    datasheet.data_rate = reader.quantity("data_rate", Dimension::TransferRate, {1});
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
                                        "'; there are those of " + names);
    return *found;
}

} // namespace levee::config
