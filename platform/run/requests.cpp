// SPDX-License-Identifier: Apache-2.0
#include "platform/run/requests.hpp"

#include "platform/run/table_cell.hpp"

#include <algorithm>
#include <cmath>

namespace levee {

namespace {

/// The least value that `share` of them do not exceed (nearest rank). `sorted`: not empty.
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

void add_figures(const std::string& name, std::vector<double> values, Results& results)
{
    if (values.empty())
        return;
    std::ranges::sort(values);
    double sum = 0;
    for (const double value : values)
        sum += value;
    results.metrics[name + ".mean"] = sum / static_cast<double>(values.size());
    results.metrics[name + ".p50"] = quantile(values, 0.50);
    results.metrics[name + ".p90"] = quantile(values, 0.90);
    results.metrics[name + ".p99"] = quantile(values, 0.99);
}

} // namespace

RequestTimes::RequestTimes(const RunContext& run)
    : workload_(*run.inputs.work.prepared), folder_(run.folder), times_(workload_.requests.size())
{
}

bool RequestTimes::is_wanted(const RunInputs& inputs)
{
    return inputs.work.prepared && !inputs.work.prepared->requests.empty();
}

void RequestTimes::request(std::uint32_t number, std::uint64_t ps)
{
    if (number < times_.size())
        times_[number].taken_ps = ps;
}

void RequestTimes::token(std::uint32_t sequence, std::uint32_t id, std::uint64_t ps)
{
    if (sequence >= times_.size())
        return;
    Times& times = times_[sequence];
    if (times.new_tokens++ == 0)
        times.first_token_ps = ps;
    times.last_token_ps = ps;
    times.ended = times.new_tokens == workload_.requests[sequence].max_new_tokens ||
                  id == workload_.stop_token || std::ranges::count(workload_.stops, id) != 0;
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

std::string RequestTimes::table() const
{
    std::string table = "request,prompt_tokens,new_tokens,arrival_s,queue_s,first_token_s,"
                        "token_s,seconds\n";
    for (std::size_t i = 0; i < times_.size(); ++i) {
        const Times& times = times_[i];
        table += std::to_string(i) + "," + std::to_string(workload_.sequences[i].tokens.size()) +
                 "," + std::to_string(times.new_tokens) +
                 table_cell(seconds(workload_.requests[i].arrival_ps)) +
                 table_cell(since_arrival(i, times.taken_ps)) +
                 table_cell(since_arrival(i, times.first_token_ps)) +
                 table_cell(seconds_per_token(times)) +
                 table_cell(times.ended ? since_arrival(i, times.last_token_ps) : std::nullopt) +
                 "\n";
    }
    return table;
}

void RequestTimes::report(Results& results)
{
    std::vector<double> queue, first_token, token;
    std::uint64_t answered = 0;
    for (std::size_t i = 0; i < times_.size(); ++i) {
        const Times& times = times_[i];
        add(since_arrival(i, times.taken_ps), queue);
        add(since_arrival(i, times.first_token_ps), first_token);
        add(seconds_per_token(times), token);
        answered += times.new_tokens != 0 ? 1 : 0;
    }
    results.metrics["requests.count"] = std::uint64_t{times_.size()};
    results.metrics["requests.answered"] = answered;
    add_figures("requests.queue_s", std::move(queue), results);
    add_figures("requests.first_token_s", std::move(first_token), results);
    add_figures("requests.token_s", std::move(token), results);
    folder_.write("requests.csv", table());
}

} // namespace levee
