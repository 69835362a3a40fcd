// SPDX-License-Identifier: Apache-2.0
#include "ip/flash/schedule.hpp"

#include <algorithm>

namespace levee::flash {

namespace {

/// Most outcomes that are cached for a configuration. At this number, the cache is cleared before
/// the next entry.
constexpr std::size_t most_outcomes = 256;

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
    after.last_compute = after.last_read = 0;
    return after;
}

/// `bytes` is the number of bytes on the channel.
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
    : geometry_(geometry), read_bytes_(read_bytes), program_bytes_(program_bytes), config_(config),
      as_configured_(parts.empty())
{
    for (std::size_t i = 0; i < config.size(); ++i) {
        lanes_.push_back({Channel(geometry, config[i], parts.empty() ? ChannelParts{} : parts[i])});
        lanes_.back().first = static_cast<std::size_t>(
            std::distance(config.begin(), std::ranges::find(config, config[i])));
    }
}

void Schedule::submit_tiles(const levee_flash_operation& op, const PageAccesses& pages)
{
    for (std::uint64_t tile = 0; tile < pages.tiles(); ++tile)
        for (std::uint32_t across = 0; across < geometry_.channels; ++across)
            submit_tile(op, pages.tile(tile), across);
}

/// Adds the requests of a tile for its column of parts `across`. They share one input, unless the
/// split is diagonal. Requests to a die that replaces a failed die get their own input, too.
void Schedule::submit_tile(const levee_flash_operation& op, const PageAccesses::Tile& tile,
                           std::uint32_t across)
{
    sharing_.clear();
    alone_.clear();
    std::uint32_t input = 0;
    for (std::uint32_t part = across; part < tile.parts(); part += geometry_.channels) {
        const PageAccess page = tile.page(part);
        if (page.is_empty() || page.is_lost())
            continue;
        input = page.part.columns * op.input_bytes;
        const Request request =
            request_of(RequestKind::ReadCompute, page, page.part.rows * op.result_bytes);
        if (op.split == LEVEE_FLASH_SPLIT_DIAGONAL || request.die != page.place.die)
            alone_.emplace_back(page.place.channel, request);
        else
            sharing_.push_back(request);
    }
    if (!sharing_.empty())
        lanes_[across].requests.add_tile(sharing_, input);
    for (const auto& [channel, request] : alone_)
        lanes_[channel].requests.add_tile({&request, 1}, input);
}

/// Adds a request for a page, unless the page is lost.
void Schedule::submit(RequestKind kind, const PageAccess& page)
{
    std::uint32_t bytes = 0;
    if (kind != RequestKind::Erase)
        bytes = kind == RequestKind::Program ? program_bytes_ : read_bytes_;
    if (!page.is_lost())
        lanes_[page.place.channel].requests.add(request_of(kind, page, bytes));
}

/// Adds a request for each data page; an erase only for the first page of each block.
void Schedule::submit_data(RequestKind kind, const PageAccesses& pages)
{
    for (std::uint32_t k = 0; k < pages.data_pages(); ++k)
        if (const PageAccess page = pages.data_page(k);
            kind != RequestKind::Erase || page.place.page % geometry_.pages == 0)
            submit(kind, page);
}

Schedule::Outcome Schedule::simulate(std::uint32_t number)
{
    Lane& lane = lanes_[number];
    Channel& channel = lane.channel;
    const Time begun = channel.now();
    if (sink_)
        channel.on_span = [this, number, begun](Span span) {
            span.from -= begun;
            span.to -= begun;
            sink_(number, span);
        };
    const ChannelCounts before = channel.counts();
    lane.requests.submit_to(channel);
    const Time end = channel.run();
    channel.forget();
    return {end - begun, difference(channel.counts(), before)};
}

/// Returns the outcome of a channel's requests, which is cached for equal requests. Nothing is
/// cached if steps are observed or parts are replaced.
Schedule::Outcome Schedule::run(std::uint32_t number)
{
    Lane& lane = lanes_[number];
    if (lane.requests.empty())
        return {};
    if (sink_ || !as_configured_)
        return simulate(number);
    Outcomes& known = lanes_[lane.first].known;
    lane.requests.make_pages_relative(config_[number].planes);
    if (const auto found = known.find(lane.requests); found != known.end())
        return found->second;
    if (known.size() == most_outcomes)
        known.clear();
    return known.emplace(lane.requests, simulate(number)).first->second;
}

Schedule::Outcome Schedule::run(std::uint8_t opcode, const levee_flash_operation& op,
                                const PageAccesses& pages)
{
    for (Lane& lane : lanes_)
        lane.requests.clear();
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
    for (std::uint32_t i = 0; i < lanes_.size(); ++i) {
        const Outcome its = run(i);
        outcome.duration = std::max(outcome.duration, its.duration);
        outcome.counts.add(its.counts);
        lanes_[i].counts.add(its.counts);
    }
    return outcome;
}

} // namespace levee::flash
