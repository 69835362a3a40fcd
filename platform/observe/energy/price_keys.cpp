// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/price_keys.hpp"

#include <map>
#include <vector>

namespace levee::energy {

namespace {

using config::Key;

Key event_key(const Declaration& type, const EnergyEvent& event, const char* meaning)
{
    return config::map(event.name, event_keys_of(type, event), meaning).optional();
}

std::vector<Key> own_keys(const Declaration& type)
{
    std::vector<Key> keys{type_source_key, type_unpriced_key,
                          static_key(type.stores ? static_forms : static_forms_of_blocks),
                          area_key(type.stores ? area_forms : area_forms_of_blocks)};
    for (const EnergyEvent& event : type.events)
        keys.push_back(event_key(type, event, "Price of the event."));
    if (type.stores) {
        keys.push_back(event_key(type, read_event, "Price of reads and writes alike."));
        keys.back().name = access_key;
    }
    if (type.datasheet != nullptr)
        keys.push_back(*type.datasheet);
    return keys;
}

} // namespace

std::span<const Key> price_keys_of(const Declaration& type)
{
    static std::map<const Declaration*, std::vector<Key>> known;
    std::vector<Key>& keys = known[&type];
    if (keys.empty())
        keys = own_keys(type);
    return keys;
}

std::span<const Key> event_keys_of(const Declaration& type, const EnergyEvent& event)
{
    switch (event.unit) {
    case EnergyEvent::Unit::Byte:
        return fitting(event.row_bytes != 0 ? row_keys : byte_keys, type.stores);
    case EnergyEvent::Unit::Picosecond:
        return fitting(time_keys, type.stores);
    case EnergyEvent::Unit::Each:
        break;
    }
    return fitting(counted_keys, type.stores);
}

std::span<const Key> static_keys_of(const Declaration& type)
{
    return fitting(static_keys, type.stores);
}

std::span<const Key> area_keys_of(const Declaration& type)
{
    return fitting(area_keys, type.stores);
}

} // namespace levee::energy
