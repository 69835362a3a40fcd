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

/// `bytes`: on the channel.
Request request_of(RequestKind kind, const PageAccess& page, std::uint32_t bytes)
{
    const bool computes = kind == RequestKind::ReadCompute;
    return {kind,
            *page.die,
            page.place.plane,
            page.place.page,
            bytes,
            computes ? page.part.rows * page.part.columns : 0};
}

} // namespace

Schedule::Schedule(const Geometry& geometry, const std::vector<TimingConfig>& config,
                   std::uint32_t read_bytes, std::uint32_t program_bytes,
                   const std::vector<ChannelParts>& parts)
    : geometry_(geometry), read_bytes_(read_bytes), program_bytes_(program_bytes)
{
    for (std::size_t i = 0; i < config.size(); ++i)
        channels_.emplace_back(geometry, config[i], parts.empty() ? ChannelParts{} : parts[i]);
}

/// Submits each tile to each channel.
void Schedule::submit_tiles(const levee_flash_operation& op, const PageAccesses& pages)
{
    for (std::uint64_t tile = 0; tile < pages.tiles(); ++tile)
        for (std::uint32_t across = 0; across < geometry_.channels; ++across)
            submit_tile(op, pages, tile, across);
}

/// Submits the pages of a tile with the same columns: those of a channel share their input.
void Schedule::submit_tile(const levee_flash_operation& op, const PageAccesses& pages,
                           std::uint64_t tile, std::uint32_t across)
{
    std::vector<Request> sharing;
    std::vector<std::pair<std::uint32_t, Request>> alone; // Requests with their channels.
    std::uint32_t input = 0;
    for (std::uint32_t part = across; part < pages.parts(); part += geometry_.channels) {
        const PageAccess page = pages.tile_page(tile, part);
        if (page.is_empty() || page.is_lost())
            continue;
        input = page.part.columns * op.input_bytes;
        const Request request =
            request_of(RequestKind::ReadCompute, page, page.part.rows * op.result_bytes);
        if (op.split == LEVEE_FLASH_SPLIT_DIAGONAL || request.die != page.place.die)
            alone.emplace_back(page.place.channel, request);
        else
            sharing.push_back(request);
    }
    if (!sharing.empty())
        channels_[across].submit_tile(sharing, input, 0);
    for (const auto& [channel, request] : alone)
        channels_[channel].submit_tile({&request, 1}, input, 0);
}

/// Submits a request for a page, unless it is lost.
void Schedule::submit(RequestKind kind, const PageAccess& page)
{
    std::uint32_t bytes = 0;
    if (kind != RequestKind::Erase)
        bytes = kind == RequestKind::Program ? program_bytes_ : read_bytes_;
    if (!page.is_lost())
        channels_[page.place.channel].submit(request_of(kind, page, bytes), 0);
}

/// Submits a request for each data page; an erase for the first page of each block.
void Schedule::submit_data(RequestKind kind, const PageAccesses& pages)
{
    for (std::uint32_t k = 0; k < pages.data_pages(); ++k)
        if (const PageAccess page = pages.data_page(k);
            kind != RequestKind::Erase || page.place.page % geometry_.pages == 0)
            submit(kind, page);
}

Schedule::Outcome Schedule::run(std::uint8_t opcode, const levee_flash_operation& op,
                                const PageAccesses& pages)
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
        submit_tiles(op, pages);
    if (opcode == LEVEE_FLASH_FETCH)
        pages.for_each_tile_page(
            [this](const PageAccess& page) { submit(RequestKind::Read, page); });
    if (opcode == LEVEE_FLASH_ERASE)
        submit_data(RequestKind::Erase, pages);
    else
        submit_data(opcode == LEVEE_FLASH_PROGRAM ? RequestKind::Program : RequestKind::Read,
                    pages);
    Outcome outcome;
    for (std::uint32_t i = 0; i < channels_.size(); ++i) {
        outcome.duration = std::max(outcome.duration, channels_[i].run() - begun);
        outcome.counts.add(difference(channels_[i].counts(), before[i]));
        channels_[i].forget();
    }
    return outcome;
}

} // namespace levee::flash
