// SPDX-License-Identifier: Apache-2.0
#include "platform/run/requests.hpp"

#include "core/units/clock.hpp"
#include "core/units/wide.hpp"
#include "platform/observe/report/si.hpp"
#include "platform/run/table_cell.hpp"

#include <algorithm>
#include <cmath>

namespace levee {

namespace {

/// With fewer values than this, the 99th percentile is the largest value.
constexpr std::size_t least_of_p99 = 100;

/// Returns a quantile by nearest rank: the smallest value for which at least `share` of all values
/// are not larger. `sorted` must not be empty.
double quantile(const std::vector<double>& sorted, double share)
{
    const auto rank =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()) - 1e-9));
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

void add(std::optional<double> value, std::vector<double>& values)
{
    if (value)
        values.push_back(*value);
}

/// Returns a cell with a time in seconds, to the picosecond.
std::string exact_seconds(Wide ps)
{
    return "," + energy::decimal(ps, 12);
}

/// Adds the figures of a column, and returns a line for the summary.
std::string add_figures(const std::string& name, const char* unit, std::vector<double> values,
                        Results& results)
{
    const std::string full = "requests." + name;
    results.metrics[full + ".count"] = std::uint64_t{values.size()};
    if (values.empty())
        return "";
    std::ranges::sort(values);
    double sum = 0;
    for (const double value : values)
        sum += value;
    const double half = quantile(values, 0.50), most = quantile(values, 0.90),
                 nearly_all = quantile(values, 0.99);
    results.metrics[full + ".mean"] = sum / static_cast<double>(values.size());
    results.metrics[full + ".p50"] = half;
    results.metrics[full + ".p90"] = most;
    results.metrics[full + ".p99"] = nearly_all;
    return "  " + name + " of " + std::to_string(values.size()) + ": p50 " + si(half, unit) +
           ", p90 " + si(most, unit) + ", p99 " + si(nearly_all, unit) +
           (values.size() < least_of_p99 ? " (the largest)\n" : "\n");
}

} // namespace

RequestTimes::RequestTimes(const RunContext& run)
    : workload_(*run.inputs.work.prepared), recorder_(run.recorder), observers_(run.observers),
      limits_(run.inputs.scenario.workload->requests->limits), folder_(run.folder),
      times_(workload_.requests.size()), bytes_(run.inputs.plan, run.system)
{
}

bool RequestTimes::is_wanted(const RunInputs& inputs)
{
    return inputs.work.prepared && !inputs.work.prepared->requests.empty();
}

/// Returns the requests that take part in a decode step: those with a first token that are not
/// finished.
std::vector<std::size_t> RequestTimes::with_a_token() const
{
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < times_.size(); ++i)
        if (times_[i].new_tokens != 0 && times_[i].left_ps == 0)
            numbers.push_back(i);
    return numbers;
}

/// From now on, charges time, bytes and energy to `owners`.
void RequestTimes::spend(std::uint64_t ps, std::vector<std::size_t> owners, std::size_t parts)
{
    busy_ps_.spend(ps, owners, parts);
    bytes_.spend(owners, std::max(parts, owners.size()));
    energy_.spend(observers_.energy_until(ps), std::move(owners), parts);
}

/// Stops charging requests in the phase "other", in which the program works for no request.
void RequestTimes::phase(levee_phase phase, std::uint64_t ps)
{
    if (phase != LEVEE_PHASE_OTHER)
        return;
    work_on(Prompt::None, ps);
    spend(ps, {}, 0);
}

/// Adds the time since the last call to the kind of prompt work that ends now, and begins `prompt`.
void RequestTimes::work_on(Prompt prompt, std::uint64_t ps)
{
    if (prompt_ == Prompt::Prefill)
        prefill_ps_ += ps - prompt_since_ps_;
    if (prompt_ == Prompt::Copy)
        copy_ps_ += ps - prompt_since_ps_;
    prompt_ = prompt;
    prompt_since_ps_ = ps;
}

void RequestTimes::request(levee_request_event event, std::uint32_t number, std::uint64_t ps)
{
    const bool of_prompt = event == LEVEE_REQUEST_COPY || event == LEVEE_REQUEST_SHARED;
    work_on(event == LEVEE_REQUEST_COPY                   ? Prompt::Copy
            : of_prompt || event == LEVEE_REQUEST_PREFILL ? Prompt::Prefill
                                                          : Prompt::None,
            ps);
    if (of_prompt && prefilled_ < times_.size()) {
        Times& times = times_[prefilled_];
        (event == LEVEE_REQUEST_COPY ? times.copied_tokens : times.shared_tokens) = number;
    }
    if (event == LEVEE_REQUEST_TAKEN && number < times_.size())
        times_[number].taken_ps = ps;
    if (event == LEVEE_REQUEST_LEFT && number < times_.size())
        times_[number].left_ps = ps;
    if (event == LEVEE_REQUEST_PREFILL && number < times_.size()) {
        prefilled_ = number;
        ++chunks_;
        spend(ps, {number}, 1);
    }
    if (event == LEVEE_REQUEST_STEP)
        spend(ps, with_a_token(), number);
}

void RequestTimes::token(std::uint32_t sequence, std::uint32_t, std::uint64_t ps)
{
    work_on(Prompt::None, ps);
    if (sequence >= times_.size())
        return;
    Times& times = times_[sequence];
    if (times.new_tokens++ == 0)
        times.first_token_ps = ps;
    times.last_token_ps = ps;
}

std::vector<RequestSpan> RequestTimes::request_spans() const
{
    std::vector<RequestSpan> spans;
    for (std::size_t i = 0; i < times_.size(); ++i)
        spans.push_back({workload_.requests[i].arrival_ps, times_[i].taken_ps,
                         times_[i].first_token_ps, times_[i].left_ps});
    return spans;
}

std::optional<double> RequestTimes::since_arrival(std::size_t number, std::uint64_t ps) const
{
    if (ps == 0)
        return std::nullopt;
    const std::uint64_t arrival = workload_.requests[number].arrival_ps;
    return ps > arrival ? seconds(ps - arrival) : 0;
}

std::optional<double> RequestTimes::seconds_per_token(const Times& times)
{
    if (times.new_tokens < 2)
        return std::nullopt;
    return seconds(times.last_token_ps - times.first_token_ps) /
           static_cast<double>(times.new_tokens - 1);
}

std::optional<double> RequestTimes::seconds_of(std::size_t number) const
{
    const Times& times = times_[number];
    if (times.left_ps == 0)
        return std::nullopt;
    return since_arrival(number, times.new_tokens != 0 ? times.last_token_ps : times.left_ps);
}

/// Returns whether a request's latencies are within the limits. An answer without tokens has no
/// latency, so it is not within them.
bool RequestTimes::meets_limits(std::size_t number) const
{
    const Times& times = times_[number];
    if (times.left_ps == 0 || times.new_tokens == 0)
        return false;
    const std::uint64_t arrival = workload_.requests[number].arrival_ps;
    const std::uint64_t wait = times.first_token_ps > arrival ? times.first_token_ps - arrival : 0;
    if (limits_->first_token_ps && wait > *limits_->first_token_ps)
        return false;
    const Wide decoding = times.last_token_ps - times.first_token_ps;
    return !limits_->token_ps || decoding <= Wide{*limits_->token_ps} * (times.new_tokens - 1);
}

/// Reports the goodput: the number of requests within the limits, divided by the time from the
/// first arrival to the end of the run.
void RequestTimes::report_goodput(Results& results) const
{
    if (!limits_)
        return;
    std::uint64_t within = 0;
    for (std::size_t i = 0; i < times_.size(); ++i)
        within += meets_limits(i) ? 1 : 0;
    const std::uint64_t ended = recorder_.ended_ps(now_ps());
    const std::uint64_t begun = workload_.requests.front().arrival_ps;
    results.metrics["requests.within_limits"] = within;
    if (ended > begun)
        results.metrics["requests.goodput_per_s"] =
            static_cast<double>(within) / seconds(ended - begun);
}

/// Returns the cells for shared tokens; empty without `workload.requests.prefix_block`.
std::string RequestTimes::shared_cells(const Times& times) const
{
    if (workload_.prefix_block == 0)
        return "";
    return "," + std::to_string(times.shared_tokens) + "," + std::to_string(times.copied_tokens);
}

std::string RequestTimes::table() const
{
    const bool shares = workload_.prefix_block != 0;
    std::string table = std::string("request,prompt_tokens,new_tokens,arrival_s,queue_s,"
                                    "first_token_s,token_s,seconds,busy_s,") +
                        (shares ? "shared_tokens,copied_tokens," : "") + bytes_.columns() +
                        "energy_j\n";
    for (std::size_t i = 0; i < times_.size(); ++i) {
        const Times& times = times_[i];
        table += std::to_string(i) + "," + std::to_string(workload_.sequences[i].tokens.size()) +
                 "," + std::to_string(times.new_tokens) +
                 table_cell(seconds(workload_.requests[i].arrival_ps)) +
                 table_cell(since_arrival(i, times.taken_ps)) +
                 table_cell(since_arrival(i, times.first_token_ps)) +
                 table_cell(seconds_per_token(times)) + table_cell(seconds_of(i)) +
                 (times.taken_ps != 0 ? exact_seconds(busy_ps_.of(i)) + shared_cells(times) +
                                            bytes_.cells(i) + energy_.cell(i)
                                      : "," + shared_cells(times) + bytes_.empty_cells() + ",") +
                 "\n";
    }
    const std::string before_busy(7, ',');
    return table + "idle" + before_busy + exact_seconds(busy_ps_.idle()) + (shares ? ",," : "") +
           bytes_.idle_cells() + energy_.idle_cell() + "\n";
}

/// Returns the number of prefill chunks that were skipped because their tokens were shared. `chunk`
/// is the length of a chunk in tokens.
std::uint64_t RequestTimes::chunks_left_out(std::uint64_t chunk) const
{
    std::uint64_t left_out = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
        const std::uint64_t tokens = workload_.sequences[i].tokens.size();
        const std::uint64_t rest = tokens - times_[i].shared_tokens;
        left_out += (tokens + chunk - 1) / chunk - (rest + chunk - 1) / chunk;
    }
    return left_out;
}

/// Reports an estimate of the time that sharing saved: the skipped chunks, each at the mean time of
/// the executed chunks, minus the time for copies. If the run was cut off, the length of a chunk is
/// unknown and nothing is reported.
void RequestTimes::report_saved(Results& results)
{
    const auto chunk = static_cast<std::uint64_t>(results.number("generate.prefill_chunk"));
    if (chunk == 0 || chunks_ == 0)
        return;
    const double a_chunk = seconds(prefill_ps_) / static_cast<double>(chunks_);
    const double saved = a_chunk * static_cast<double>(chunks_left_out(chunk)) - seconds(copy_ps_);
    results.metrics["requests.saved_estimate_s"] = saved;
    if (saved > 0.0)
        text_ += "  shared prefixes saved about " + si(saved, "s") +
                 " (estimate); a run without prefix_block shows the exact time\n";
}

void RequestTimes::report_sharing(Results& results)
{
    if (workload_.prefix_block == 0)
        return;
    std::uint64_t hits = 0, shared = 0, copied = 0;
    for (const Times& times : times_) {
        hits += times.shared_tokens != 0 ? 1 : 0;
        shared += times.shared_tokens;
        copied += times.copied_tokens;
    }
    const double bytes = results.number("kv.bytes_per_token");
    results.metrics["requests.shared"] = hits;
    results.metrics["requests.shared_tokens"] = shared;
    results.metrics["requests.copied_tokens"] = copied;
    results.metrics["requests.shared_bytes"] = bytes * static_cast<double>(shared);
    results.metrics["requests.copied_bytes"] = bytes * static_cast<double>(copied);
    results.metrics["requests.copy_s"] = seconds(copy_ps_);
    text_ += "  " + std::to_string(shared) + " shared tokens in " + std::to_string(hits) +
             " requests, " + std::to_string(copied) + " of them copied\n";
    report_saved(results);
}

void RequestTimes::report_energy(Results& results)
{
    spend(recorder_.ended_ps(now_ps()), {}, 0);
    if (!energy_.is_known())
        return;
    std::vector<double> joules;
    for (std::size_t i = 0; i < times_.size(); ++i)
        if (times_[i].left_ps != 0)
            joules.push_back(energy::joules(energy_.of(i)));
    text_ += add_figures("energy_j", "J", std::move(joules), results);
    results.metrics["requests.idle_j"] = energy::joules(energy_.idle());
}

void RequestTimes::report(Results& results)
{
    std::vector<double> queue, first_token, token;
    std::uint64_t answered = 0, unfinished = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
        const Times& times = times_[i];
        add(since_arrival(i, times.taken_ps), queue);
        add(since_arrival(i, times.first_token_ps), first_token);
        add(seconds_per_token(times), token);
        answered += times.new_tokens != 0 ? 1 : 0;
        unfinished += times.left_ps == 0 ? 1 : 0;
    }
    results.metrics["requests.count"] = std::uint64_t{times_.size()};
    results.metrics["requests.answered"] = answered;
    results.metrics["requests.unfinished"] = unfinished;
    text_ = "requests\n" + add_figures("queue_s", "s", std::move(queue), results) +
            add_figures("first_token_s", "s", std::move(first_token), results) +
            add_figures("token_s", "s", std::move(token), results);
    report_sharing(results);
    report_energy(results);
    report_goodput(results);
    folder_.write("requests.csv", table());
}

} // namespace levee
