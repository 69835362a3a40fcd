// SPDX-License-Identifier: Apache-2.0
#include "ip/sram/module.hpp"

#include <algorithm>

namespace levee::sram {

Sram::Sram(const sc_core::sc_module_name& name, const Config& config)
    : StorageModule(name, config.size_bytes, {config.read_only, config.allow_dmi, config.latency}),
      FlowResource({FlowAccount::Kind::Storage, this->name()}), config_(config)
{
}

Picoseconds Sram::accessed(Direction direction, std::uint64_t, unsigned bytes, Picoseconds)
{
    (direction == Direction::Read ? read_bytes_ : written_bytes_) += bytes;
    return config_.latency;
}

Picoseconds Sram::begun(const BulkExtension& stream, std::uint64_t)
{
    (stream.direction == Direction::Read ? read_bytes_ : written_bytes_) += stream.bytes;
    return config_.latency;
}

void Sram::price(std::span<const FlowUse* const> mix, std::span<const StreamDemand>,
                 std::span<double> ps_per_byte)
{
    std::fill_n(ps_per_byte.begin(), mix.size(), ps_per_byte_at(config_.bytes_per_second));
}

void Sram::report(Stats& stats) const
{
    stats.add("read_bytes", read_bytes_);
    stats.add("write_bytes", written_bytes_);
}

} // namespace levee::sram
