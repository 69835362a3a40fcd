// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/energy/scale.hpp"

#include "platform/observe/energy/price_keys.hpp"

namespace levee::energy {

namespace {

constexpr std::uint64_t millionths = 1'000'000;

/// Returns the largest integer whose square does not exceed `value`.
std::uint64_t square_root(Wide value)
{
    std::uint64_t root = 0;
    for (std::uint64_t bit = std::uint64_t{1} << 62; bit != 0; bit >>= 1)
        if (Wide{root | bit} * (root | bit) <= value)
            root |= bit;
    return root;
}

std::uint64_t read_reference(config::MapReader& reader)
{
    (void)reader.raw(reference_key.name, true);
    return reader.quantity(reference_key.name);
}

} // namespace

Scale::Scale(const config::Node& node, const std::string& path, Of of, std::uint64_t per)
    : of_(of), bytes_(per)
{
    config::MapReader reader(node, path,
                             of == Of::Access ? std::span<const config::Key>(root_scale_keys)
                                              : linear_scale_keys);
    (void)reader.word<int>("rule");
    if (per != 0 && reader.has("reference"))
        throw reader.error(
            "reference", "is given, and so is 'per', which is the reference; expected one of them");
    if (per == 0)
        bytes_ = read_reference(reader);
    ports_ = reader.quantity("ports");
    if (reader.string("source").empty())
        throw reader.error("source", "is empty; expected the source of the rule");
    reader.finish();
}

Rate Scale::apply(const Rate& price, const Consumer& memory) const
{
    const Rate by_ports = price.times(memory.ports, ports_);
    switch (of_) {
    case Of::Access:
        return by_ports.times(
            square_root(Wide{memory.size_bytes} * millionths * millionths / bytes_), millionths);
    case Of::Power:
        return by_ports.times(memory.size_bytes, bytes_);
    case Of::Area:
        return by_ports.times(memory.ports, ports_).times(memory.size_bytes, bytes_);
    }
    return by_ports;
}

} // namespace levee::energy
