// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/schedule.hpp"

#include <algorithm>

namespace levee::flash {

namespace {

ChannelCounts difference(ChannelCounts after, const ChannelCounts& before)
{
    for (std::size_t i = 0; i < 4; ++i)
        after.requests[i] -= before.requests[i];
    after.input_bytes -= before.input_bytes;
    after.buffered_bytes -= before.buffered_bytes;
    after.result_bytes -= before.result_bytes;
    after.data_out_bytes -= before.data_out_bytes;
    after.data_in_bytes -= before.data_in_bytes;
    after.commands -= before.commands;
    after.macs -= before.macs;
    after.bus_busy -= before.bus_busy;
    after.vector_busy -= before.vector_busy;
    after.sense_busy -= before.sense_busy;
    after.compute_busy -= before.compute_busy;
    return after;
}

} // namespace

Schedule::Schedule(const Geometry& geometry, const std::vector<TimingConfig>& config,
                   std::uint32_t read_bytes, std::uint32_t program_bytes, const Failures& failures,
                   const std::vector<ChannelParts>& parts)
    : geometry_(geometry), read_bytes_(read_bytes), program_bytes_(program_bytes),
      failures_(failures)
{
    for (std::size_t i = 0; i < config.size(); ++i)
        channels_.emplace_back(geometry, config[i], parts.empty() ? ChannelParts{} : parts[i]);
}

/// Submits each tile to each channel.
void Schedule::submit_tiles(const levee_flash_operation& op, Time now)
{
    const Tiles tiles(geometry_, op);
    for (std::uint64_t tile = 0; tile < tiles.count(); ++tile)
        for (std::uint32_t across = 0; across < geometry_.channels; ++across)
            submit_tile(tiles, tile, across, op, now);
}

/// Submits the parts of a tile with the same columns: those of a channel share their input.
void Schedule::submit_tile(const Tiles& tiles, std::uint64_t tile, std::uint32_t across,
                           const levee_flash_operation& op, Time now)
{
    std::vector<Request> sharing;
    std::vector<std::pair<std::uint32_t, Request>> alone; // with their channels
    std::uint32_t input = 0;
    for (std::uint32_t down = 0; down < tiles.matrix().cores; ++down) {
        const levee_flash_part part = tiles.part(tile, down * geometry_.channels + across);
        const auto die = failures_.serving(part.channel, part.core, now);
        if (part.rows == 0 || part.columns == 0 || !die)
            continue;
        input = part.columns * op.input_bytes;
        const Request request{RequestKind::ReadCompute,
                              *die,
                              op.plane,
                              static_cast<std::uint32_t>(op.page + tile),
                              part.rows * op.result_bytes,
                              part.rows * part.columns};
        if (op.split == LEVEE_FLASH_SPLIT_DIAGONAL || *die != part.core)
            alone.emplace_back(part.channel, request);
        else
            sharing.push_back(request);
    }
    if (!sharing.empty())
        channels_[across].submit_tile(sharing, input, 0);
    for (const auto& [channel, request] : alone)
        channels_[channel].submit_tile({&request, 1}, input, 0);
}

/// Submits a read for each page of the tiles.
void Schedule::submit_fetch(const levee_flash_operation& op, Time now)
{
    const Tiles tiles(geometry_, op);
    for (std::uint64_t tile = 0; tile < tiles.count(); ++tile)
        for (std::uint32_t i = 0; i < tiles.parts(); ++i) {
            const levee_flash_part part = tiles.part(tile, i);
            const auto die = failures_.serving(part.channel, part.core, now);
            if (part.rows != 0 && part.columns != 0 && die)
                channels_[part.channel].submit({RequestKind::Read, *die, op.plane,
                                                static_cast<std::uint32_t>(op.page + tile),
                                                read_bytes_, 0},
                                               0);
        }
}

void Schedule::submit_pages(RequestKind kind, const levee_flash_operation& op, Time now)
{
    const std::uint32_t dies = geometry_.dies_per_channel();
    for (std::uint32_t i = 0; i < op.data_pages; ++i) {
        const std::uint32_t channel = i % geometry_.channels, in_channel = i / geometry_.channels;
        if (const auto die = failures_.serving(channel, in_channel % dies, now))
            channels_[channel].submit({kind, *die, op.data_plane, op.data_page + in_channel / dies,
                                       kind == RequestKind::Program ? program_bytes_ : read_bytes_,
                                       0},
                                      0);
    }
}

/// Submits an erase for the first page of each block, in each die that has pages of it.
void Schedule::submit_erases(const levee_flash_operation& op, Time now)
{
    const std::uint32_t dies = geometry_.dies_per_channel();
    for (std::uint32_t i = 0; i < op.data_pages; ++i) {
        const std::uint32_t channel = i % geometry_.channels, in_channel = i / geometry_.channels;
        const std::uint32_t page = in_channel / dies;
        if (page % geometry_.pages != 0)
            continue;
        if (const auto die = failures_.serving(channel, in_channel % dies, now))
            channels_[channel].submit(
                {RequestKind::Erase, *die, op.data_plane, op.data_page + page, 0, 0}, 0);
    }
}

Schedule::Outcome Schedule::run(std::uint8_t opcode, const levee_flash_operation& op, Time now)
{
    Time begun = 0;
    for (const Channel& channel : channels_)
        begun = std::max(begun, channel.now());
    std::vector<ChannelCounts> before;
    for (std::uint32_t i = 0; i < channels_.size(); ++i) {
        channels_[i].run_until(begun);
        before.push_back(channels_[i].counts());
        if (sink_)
            channels_[i].on_span = [this, i, begun](Span span) {
                span.from -= begun;
                span.to -= begun;
                sink_(i, span);
            };
    }
    if (opcode == LEVEE_FLASH_COMPUTE)
        submit_tiles(op, now);
    if (opcode == LEVEE_FLASH_FETCH)
        submit_fetch(op, now);
    if (opcode == LEVEE_FLASH_ERASE)
        submit_erases(op, now);
    else
        submit_pages(opcode == LEVEE_FLASH_PROGRAM ? RequestKind::Program : RequestKind::Read, op,
                     now);
    Outcome outcome;
    for (std::uint32_t i = 0; i < channels_.size(); ++i) {
        outcome.duration = std::max(outcome.duration, channels_[i].run() - begun);
        outcome.counts.add(difference(channels_[i].counts(), before[i]));
        channels_[i].forget();
    }
    return outcome;
}

} // namespace levee::flash
