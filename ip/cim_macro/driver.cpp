// SPDX-License-Identifier: Apache-2.0
#include "ip/cim_macro/driver.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace levee::cim_macro {

namespace {

/// Returns the passes of a vector, the highest byte first.
std::vector<Pass> passes_of(std::span<const std::int16_t> vector, InputType type)
{
    std::vector<Pass> all(passes(type));
    for (std::size_t p = 0; p < all.size(); ++p) {
        const unsigned shift = static_cast<unsigned>(all.size() - 1 - p) * pass_bits;
        all[p].is_signed = p == 0 && type != InputType::Uint8;
        all[p].is_last = p + 1 == all.size();
        for (std::size_t i = 0; i < vector.size(); ++i)
            all[p].bytes[i] = static_cast<std::uint8_t>(vector[i] >> shift);
    }
    return all;
}

} // namespace

std::vector<Row> rows_of(const Shape& shape, std::span<const std::int8_t> weights)
{
    std::vector<Row> rows(shape.inputs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].input = static_cast<std::uint8_t>(i);
        std::ranges::copy(weights.subspan(i * shape.outputs, shape.outputs),
                          rows[i].weights.begin());
    }
    return rows;
}

std::vector<JobResult> expected_of(const Shape& shape, std::span<const Job> jobs)
{
    std::vector<std::int8_t> weights(std::size_t{shape.inputs} * shape.outputs);
    std::vector<JobResult> results;
    for (const Job& job : jobs) {
        for (const Row& row : job.rows)
            std::copy_n(row.weights.begin(), shape.outputs,
                        weights.begin() + std::ptrdiff_t{row.input} * shape.outputs);
        JobResult& result = results.emplace_back();
        for (const std::vector<std::int16_t>& vector : job.vectors)
            result.sums.push_back(multiply(shape, weights, vector));
    }
    return results;
}

struct Driver::Progress {
    std::span<const Job> jobs;
    const Options& options;
    std::vector<JobResult> results;
    std::vector<Pass> passes; ///< Passes of all vectors.
    std::vector<const Row*> rows;
    /// For each pass: number of rows that must be loaded before it.
    std::vector<std::size_t> rows_before;
    /// For each row: number of passes that must be taken before it.
    std::vector<std::size_t> passes_before;
    std::vector<std::pair<std::size_t, std::size_t>> vectors; ///< Job, and index in the job.
    std::vector<std::size_t> first_pass;                      ///< First pass of each job.
    std::size_t row = 0, pass = 0, vector = 0;                ///< Items completed so far.
    unsigned offered = 0; ///< Channels that are offered and must stay so until they are taken, as
                          ///< bits of `gates`.
    std::vector<std::uint64_t> begun;

    Progress(std::span<const Job> asked, const Options& given)
        : jobs(asked), options(given), results(asked.size()), begun(asked.size())
    {
        for (std::size_t j = 0; j < jobs.size(); ++j) {
            for (const Row& one : jobs[j].rows) {
                rows.push_back(&one);
                passes_before.push_back(passes.size());
            }
            first_pass.push_back(passes.size());
            for (std::size_t v = 0; v < jobs[j].vectors.size(); ++v) {
                vectors.emplace_back(j, v);
                for (const Pass& one : passes_of(jobs[j].vectors[v], jobs[j].type)) {
                    passes.push_back(one);
                    rows_before.push_back(rows.size());
                }
            }
        }
    }
    [[nodiscard]] bool done() const
    {
        return row == rows.size() && pass == passes.size() && vector == vectors.size();
    }
    [[nodiscard]] std::string where() const
    {
        if (vector == vectors.size())
            return "after the last vector";
        return "vector " + std::to_string(vectors[vector].second) + " of job " +
               std::to_string(vectors[vector].first);
    }
};

std::vector<JobResult> Driver::run(std::span<const Job> jobs, const Options& options)
{
    Progress progress(jobs, options);
    drive(*this, progress, options);
    return std::move(progress.results);
}

/// Returns the position of the vector whose sums are expected next.
RtlPlace Driver::place() const
{
    RtlPlace place;
    if (progress_ != nullptr && progress_->vector < progress_->vectors.size())
        place.tile = RtlPlace::index(progress_->vectors[progress_->vector].second);
    return place;
}

void Driver::expect(const Inputs&, Outputs& out) const
{
    if (progress_ == nullptr || progress_->options.known().empty() || !out.out_valid ||
        progress_->vector >= progress_->vectors.size())
        return;
    const auto [job, vector] = progress_->vectors[progress_->vector];
    std::ranges::copy(progress_->options.known()[job].sums[vector], out.sums.begin());
}

/// Offers a row when the passes before it have been taken. Offers a pass when the rows before it
/// are loaded, or while the last of these rows is offered. A row and a pass can therefore be
/// offered at the same time.
Inputs Driver::inputs(Progress& progress)
{
    const unsigned gates = open_gates((1u << channels) - 1) | progress.offered;
    Inputs in;
    if (progress.row < progress.rows.size() && (gates & 1) != 0 &&
        progress.passes_before[progress.row] <= progress.pass)
        in.row = progress.rows[progress.row];
    const std::size_t loaded = progress.row + (in.row != nullptr ? 1 : 0);
    if (progress.pass < progress.passes.size() && (gates & 2) != 0 &&
        progress.rows_before[progress.pass] <= loaded)
        in.pass = &progress.passes[progress.pass];
    in.out_ready = (gates & 4) != 0;
    return in;
}

/// Returns true if any channel transfers at the end of this cycle.
bool Driver::observe(Progress& progress, const Inputs& in, const Outputs& out)
{
    const bool row = in.row != nullptr && out.load_ready;
    const bool pass = in.pass != nullptr && out.in_ready;
    const bool sums = out.out_valid && in.out_ready;
    progress.offered =
        (in.row != nullptr && !row ? 1u : 0u) | (in.pass != nullptr && !pass ? 2u : 0u);
    progress.row += row ? 1 : 0;
    if (pass) {
        for (std::size_t j = 0; j < progress.jobs.size(); ++j)
            if (progress.first_pass[j] == progress.pass && !progress.jobs[j].vectors.empty())
                progress.begun[j] = operation_cycle();
        ++progress.pass;
    }
    if (sums) {
        const std::size_t job = progress.vectors[progress.vector++].first;
        progress.results[job].cycles = operation_cycle() - progress.begun[job];
    }
    return row || pass || sums;
}

/// Compares valid sums in every cycle, even if they are not taken.
void Driver::compare_values(Progress& progress, const Inputs& in, const Outputs& out)
{
    if (!out.out_valid)
        return;
    if (progress.vector == progress.vectors.size())
        return differ_in_value("out_valid_o", progress.where(), "0", "1");
    const auto [job, vector] = progress.vectors[progress.vector];
    const std::uint32_t outputs = pins().size().outputs;
    const std::vector<std::int32_t> got(out.sums.begin(), out.sums.begin() + outputs);
    if (in.out_ready)
        progress.results[job].sums.push_back(got);
    if (progress.options.expected.empty())
        return;
    count_comparison();
    const std::vector<std::int32_t>& want = progress.options.expected[job].sums[vector];
    for (std::uint32_t o = 0; o < outputs; ++o)
        if (got[o] != want[o])
            return differ_in_value("out_sums_o",
                                   "output " + std::to_string(o) + ", " + progress.where(),
                                   std::to_string(want[o]), std::to_string(got[o]));
}

void Driver::give_up(Progress& progress)
{
    RtlDriver::give_up(progress.vector < progress.vectors.size() ? "out_valid_o" : "load_ready_o",
                       progress.where());
}

void Driver::compare_boundary(const Inputs&, const Outputs& want, const Outputs& got)
{
    const auto where = [this] { return progress_ == nullptr ? "" : progress_->where(); };
    compare_timing(want.out_valid, got.out_valid, "out_valid_o", where);
    compare_timing(want.in_ready, got.in_ready, "in_ready_o", where);
    compare_timing(want.load_ready, got.load_ready, "load_ready_o", where);
}

const char* Driver::busy_signal(const Outputs& out) const
{
    return out.out_valid     ? "out_valid_o"
           : !out.in_ready   ? "in_ready_o"
           : !out.load_ready ? "load_ready_o"
                             : nullptr;
}

} // namespace levee::cim_macro
