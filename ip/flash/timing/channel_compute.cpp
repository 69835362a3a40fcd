// SPDX-License-Identifier: Apache-2.0
// Read-computes: scheduling of tiles that wait for buffer space, and of the cores.
#include "ip/flash/timing/channel.hpp"

#include <algorithm>

namespace levee::flash {

void Channel::start_core(std::uint32_t index)
{
    Die& die = dies_[index];
    if (die.computing != none || die.core_queue.empty())
        return;
    const std::uint32_t result = jobs_[die.core_queue.front()].request.bytes;
    if (die.inputs + die.results + result > config_.buffer_bytes)
        return; // The buffer is full until results are sent.
    die.results += result;
    die.computing = die.core_queue.front();
    die.core_queue.pop_front();
    die.to_compute.erase(std::find(die.to_compute.begin(), die.to_compute.end(), die.computing));
    const std::uint32_t macs = jobs_[die.computing].request.macs;
    counts_.macs += macs;
    const Time takes = parts_.cores[index]->compute(macs);
    counts_.compute_busy += takes;
    schedule(now_ + takes, EventKind::Computed, index);
}

void Channel::computed(std::uint32_t index)
{
    Die& die = dies_[index];
    const std::uint32_t job = die.computing;
    const Job& done = jobs_[job];
    note(job, Step::Compute, now_ - parts_.cores[index]->compute(done.request.macs), now_);
    die.computing = none;
    // The input's space is freed after the tile's last page in this die.
    const Tile& tile = tiles_[done.tile];
    const auto first = jobs_.begin() + tile.first;
    if (std::none_of(first, first + tile.count, [&](const Job& other) {
            return other.request.die == index && other.left != 0 && &other != &done;
        }))
        die.inputs -= tile.input_bytes;
    jobs_[job].left = 0; // All bytes are computed.
    results_.push_back({now_, job});
    const std::uint32_t plane = plane_of(done.request);
    release(plane);
    advance(plane);
    start_core(index);
}

/// Reserves the planes of the tile whose input is sent next, so that they start no other request.
void Channel::reserve_next_tile()
{
    if (next_tiles_.empty())
        return;
    const Tile& tile = tiles_[next_tiles_.front()];
    for (std::uint32_t i = 0; i < tile.count; ++i)
        ++planes_[plane_of(jobs_[tile.first + i].request)].reserved;
}

/// Size of the largest result whose computation has not started.
std::uint32_t Channel::largest_result(const Die& die) const
{
    std::uint32_t bytes = 0;
    for (const std::uint32_t job : die.to_compute)
        bytes = std::max(bytes, jobs_[job].request.bytes);
    return bytes;
}

/// Whether a tile's input can be sent. The dies must not exceed their pages in flight. The buffers
/// must have space for the input in addition to the results that wait. They must also have space
/// for the input in addition to the largest result whose computation has not started. Without
/// `input_ahead`, the planes must be free.
bool Channel::has_room(const Tile& tile) const
{
    std::uint32_t index = none, pages = 0, result = 0;
    for (std::uint32_t i = 0; i < tile.count; ++i) {
        const Request& request = jobs_[tile.first + i].request;
        const Die& die = dies_[request.die];
        if (request.die != index) {
            index = request.die;
            pages = 0;
            result = std::max(die.results, largest_result(die));
        }
        result = std::max(result, request.bytes);
        if (die.in_flight() + ++pages > config_.in_flight ||
            die.inputs + tile.input_bytes + result > config_.buffer_bytes)
            return false;
        if (!config_.input_ahead && !is_free(unit_of(plane_of(request))))
            return false;
    }
    return true;
}

void Channel::consider_tile()
{
    if (tile_ready_ || next_tiles_.empty() || !has_room(tiles_[next_tiles_.front()]))
        return;
    tile_ready_ = now_;
}

} // namespace levee::flash
