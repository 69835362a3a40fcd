// SPDX-License-Identifier: Apache-2.0
#include "ip/voting_engine/driver.hpp"

#include <algorithm>

namespace levee::voting_engine {

namespace {

std::string hex(std::uint16_t value)
{
    return levee::hex(value, 4);
}

std::string show(std::uint32_t slot)
{
    return slot == none ? "no token may leave" : "slot " + std::to_string(slot);
}

Inputs command_of(const Job& job, std::size_t vector)
{
    Inputs in;
    in.cmd_valid = true;
    in.cmd_elect = job.elects;
    in.cmd_protect = job.protect;
    in.cmd_slots = static_cast<std::uint16_t>(job.positions.size());
    in.cmd_length = in.cmd_slots;
    if (job.elects) {
        in.cmd_slots = 1; // The number has no meaning for this command, but must be valid.
        return in;
    }
    in.cmd_length = static_cast<std::uint16_t>(job.vectors[vector].size());
    in.cmd_first = vector == 0;
    in.cmd_last = vector + 1 == job.vectors.size();
    in.cmd_mean_factor = job.factors.mean;
    in.cmd_deviation_factor = job.factors.deviation;
    return in;
}

} // namespace

std::vector<JobResult> expected_of(std::span<const Job> jobs)
{
    std::vector<JobResult> results;
    for (const Job& job : jobs) {
        JobResult& result = results.emplace_back();
        if (job.elects) {
            result.slot = elect(job.votes, job.positions, job.protect);
            continue;
        }
        result.votes = job.votes;
        for (const std::vector<std::uint16_t>& vector : job.vectors) {
            std::vector<std::uint16_t> elements(vector.size());
            std::ranges::transform(vector, elements.begin(), clamped);
            vote(std::span(result.votes).first(vector.size()), elements, job.positions,
                 job.factors);
        }
    }
    return results;
}

struct Driver::Progress {
    std::span<const Job> jobs;
    const Options& options;
    std::vector<JobResult> results;

    Channel<Inputs> commands;
    Channel<std::uint32_t> slots;
    Channel<std::uint16_t> elements, counts;
    Channel<std::size_t> stores, elections; ///< Indexed by slot, and by election.
    unsigned offered = 0; ///< Channels, as bits of `gates`, whose offers must not be withdrawn.
    std::vector<std::uint64_t> begun; ///< Cycle of each job's first element or slot.

    Progress(std::span<const Job> asked, const Options& given)
        : jobs(asked), options(given), results(asked.size()), begun(asked.size(), UINT64_MAX)
    {
        for (std::size_t j = 0; j < jobs.size(); ++j) {
            const Job& job = jobs[j];
            for (std::size_t v = 0; v < std::max<std::size_t>(job.vectors.size(), 1); ++v)
                commands.add(j, command_of(job, v));
            for (const std::uint32_t position : job.positions)
                slots.add(j, position);
            for (const auto& vector : job.vectors)
                for (const std::uint16_t element : vector)
                    elements.add(j, element);
            for (std::size_t slot = 0; slot < job.votes.size(); ++slot) {
                counts.add(j, job.votes[slot]);
                if (!job.elects)
                    stores.add(j, slot);
            }
            if (job.elects)
                elections.add(j, j);
        }
    }
    [[nodiscard]] bool done() const
    {
        return !commands.has() && !slots.has() && !elements.has() && !counts.has() &&
               !stores.has() && !elections.has();
    }
    void begin(std::size_t job, std::uint64_t cycle) { begun[job] = std::min(begun[job], cycle); }
};

std::vector<JobResult> Driver::run(std::span<const Job> jobs, const Options& options)
{
    Progress progress(jobs, options);
    drive(*this, progress, options);
    return std::move(progress.results);
}

/// Returns the position of the oldest unfinished job.
RtlPlace Driver::place() const
{
    RtlPlace place;
    if (progress_ != nullptr)
        place.tile = RtlPlace::index(std::min(progress_->stores.job(), progress_->elections.job()));
    return place;
}

void Driver::expect(const Inputs&, Outputs& out) const
{
    if (progress_ == nullptr || progress_->options.known().empty())
        return;
    const std::span<const JobResult> known = progress_->options.known();
    if (out.store_valid && progress_->stores.has()) {
        const std::size_t job = progress_->stores.job(), slot = progress_->stores.item();
        out.store = known[job].votes[slot];
        out.store_last = slot + 1 == progress_->jobs[job].votes.size();
    }
    if (out.result_valid && progress_->elections.has()) {
        const std::uint32_t slot = known[progress_->elections.job()].slot;
        out.result_found = slot != none;
        out.result_index = static_cast<std::uint16_t>(slot);
    }
}

Inputs Driver::inputs(Progress& progress)
{
    const unsigned gates = open_gates((1u << channels) - 1) | progress.offered;
    const auto open = [gates](unsigned channel) { return (gates >> channel & 1) != 0; };
    Inputs in;
    if (progress.commands.has() && open(0))
        in = progress.commands.item();
    if (progress.slots.has() && open(1)) {
        in.slot_valid = true;
        in.slot_position = progress.slots.item();
    }
    if (progress.elements.has() && open(2)) {
        in.element_valid = true;
        in.element = progress.elements.item();
    }
    if (progress.counts.has() && open(3)) {
        in.count_valid = true;
        in.count = progress.counts.item();
    }
    in.store_ready = open(4);
    in.result_ready = open(5);
    return in;
}

/// Returns true if any channel transfers at the end of this cycle.
bool Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    bool any = false;
    progress.offered = 0;
    const std::uint64_t now = operation_cycle();
    const auto moved = [&](bool valid, bool ready, unsigned channel, auto& stream) {
        if (valid && !ready && channel < 4)
            progress.offered |= 1u << channel;
        any = any || (valid && ready);
        stream.at += valid && ready ? 1 : 0;
        return valid && ready;
    };
    const auto since = [&](std::size_t job) { return now - progress.begun[job] + 1; };
    moved(in.cmd_valid, out.cmd_ready, 0, progress.commands);
    const std::size_t slots = progress.slots.job();
    if (moved(in.slot_valid, out.slot_ready, 1, progress.slots) && progress.jobs[slots].elects)
        progress.begin(slots, now);
    const std::size_t elements = progress.elements.job();
    if (moved(in.element_valid, out.element_ready, 2, progress.elements)) {
        progress.begin(elements, now);
        progress.results[elements].taken = since(elements);
    }
    moved(in.count_valid, out.count_ready, 3, progress.counts);
    const std::size_t stores = progress.stores.job();
    if (moved(out.store_valid, in.store_ready, 4, progress.stores))
        progress.results[stores].passed = since(stores);
    const std::size_t elections = progress.elections.job();
    if (moved(out.result_valid, in.result_ready, 5, progress.elections))
        progress.results[elections].passed = since(elections);
    return any;
}

/// Compares valid outputs in every cycle, even if they are not taken.
void Driver::compare_values(Progress& progress, const Inputs& in, const Outputs& out)
{
    const std::span<const JobResult> expected = progress.options.expected;
    if (out.store_valid && !progress.stores.has())
        return differ_in_value("store_valid_o", "after the last count", "0", "1");
    if (out.result_valid && !progress.elections.has())
        return differ_in_value("result_valid_o", "after the last election", "0", "1");
    if (out.store_valid) {
        const std::size_t job = progress.stores.job(), slot = progress.stores.item();
        const std::string where = "slot " + std::to_string(slot) + " of job " + std::to_string(job);
        const bool last = slot + 1 == progress.jobs[job].votes.size();
        if (in.store_ready)
            progress.results[job].votes.push_back(out.store);
        if (!compare_flag(last, out.store_last, "store_last_o", where))
            return;
        if (!expected.empty()) {
            count_comparison();
            if (out.store != expected[job].votes[slot])
                return differ_in_value("store_o", where, hex(expected[job].votes[slot]),
                                       hex(out.store));
        }
    }
    if (!out.result_valid)
        return;
    const std::size_t job = progress.elections.job();
    const std::uint32_t got = out.result_found ? out.result_index : none;
    progress.results[job].slot = got;
    if (expected.empty())
        return;
    count_comparison();
    if (got != expected[job].slot)
        differ_in_value("result_*_o", "job " + std::to_string(job), show(expected[job].slot),
                        show(got));
}

void Driver::compare_boundary(const Inputs&, const Outputs& want, const Outputs& got)
{
    const auto of = [this](auto channel) {
        return [this, channel] {
            return progress_ == nullptr ? "" : "job " + std::to_string((progress_->*channel).job());
        };
    };
    compare_timing(want.store_valid, got.store_valid, "store_valid_o", of(&Progress::stores));
    compare_timing(want.result_valid, got.result_valid, "result_valid_o", of(&Progress::elections));
    compare_timing(want.element_ready, got.element_ready, "element_ready_o",
                   of(&Progress::elements));
    compare_timing(want.count_ready, got.count_ready, "count_ready_o", of(&Progress::counts));
    compare_timing(want.slot_ready, got.slot_ready, "slot_ready_o", of(&Progress::slots));
    compare_timing(want.cmd_ready, got.cmd_ready, "cmd_ready_o", of(&Progress::commands));
}

const char* Driver::busy_signal(const Outputs& out) const
{
    return out.store_valid     ? "store_valid_o"
           : out.result_valid  ? "result_valid_o"
           : out.element_ready ? "element_ready_o"
           : out.slot_ready    ? "slot_ready_o"
           : out.count_ready   ? "count_ready_o"
           : !out.cmd_ready    ? "cmd_ready_o"
                               : nullptr;
}

void Driver::give_up(const Progress& progress)
{
    const bool stores = progress.stores.has();
    RtlDriver::give_up(
        stores ? "store_valid_o" : "result_valid_o",
        "job " + std::to_string(stores ? progress.stores.job() : progress.elections.job()));
}

} // namespace levee::voting_engine
