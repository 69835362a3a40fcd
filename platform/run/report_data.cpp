// SPDX-License-Identifier: Apache-2.0
#include "platform/run/report_data.hpp"

#include "core/config/quantity.hpp"
#include "core/units/clock.hpp"
#include "platform/observe/phases.hpp"

#include <algorithm>

namespace levee::report_data {

namespace {

Json component(const PlannedComponent& planned)
{
    const Placement& placement = planned.plan.placement;
    Json json{{"name", planned.name}, {"type", planned.type->name()}};
    if (placement.size_bytes > 0)
        json["bytes"] = placement.size_bytes;
    if (placement.bytes_per_second > 0)
        json["bytes_per_s"] = placement.bytes_per_second;
    if (planned.plan.macs_per_second > 0)
        json["macs_per_s"] = planned.plan.macs_per_second;
    if (planned.roles != 0)
        json["roles"] = role_names(planned.roles);
    Json& parameters = json["parameters"] = Json::array();
    for (const auto& [name, value] : planned.plan.parameters)
        parameters.push_back({name, value});
    return json;
}

/// Returns a channel's sum in each bin, up to the end of the run.
Json sums(const series::Bins& bins, std::size_t channel, std::uint64_t end)
{
    const std::vector<std::uint64_t>& all = bins.sums(channel);
    const std::size_t used =
        std::min<std::size_t>(all.size(), (end + bins.width() - 1) / bins.width());
    return std::vector<std::uint64_t>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(used));
}

Json busy(const series::Bins& bins, std::size_t channel, std::uint64_t end)
{
    Json list = Json::array();
    for (const Json& ps : sums(bins, channel, end))
        list.push_back(seconds(ps.get<std::uint64_t>()));
    return list;
}

} // namespace

Json system(const SystemPlan& plan)
{
    using config::Dimension;
    Json memories = Json::array(), blocks = Json::array();
    blocks.push_back({{"name", "core"},
                      {"type", "riscv"},
                      {"clock_hz", plan.config.core.clock_hz},
                      {"parameters", Json::array()}});
    for (const PlannedComponent& planned : plan.components)
        (planned.stores() ? memories : blocks).push_back(component(planned));
    const std::uint64_t port = plan.config.bus.port_bytes_per_second;
    std::string streams;
    for (const config::StreamConfig& stream : plan.config.streams)
        streams += (streams.empty() ? "stream ports: " : ", ") + stream.name + " " +
                   config::format_quantity(stream.bytes_per_second, Dimension::Bandwidth);
    return {{"memories", memories},
            {"blocks", blocks},
            {"bus", "bus: latency " +
                        config::format_quantity(plan.config.bus.latency_ps, Dimension::Time) +
                        ", each port " + config::format_quantity(port, Dimension::Bandwidth)},
            {"streams", streams}};
}

Json operations(const series::Series& series)
{
    Json list = Json::array();
    for (const series::Operations& one : series.operations())
        list.push_back({{"block", one.block},
                        {"operation", one.operation},
                        {"phase", phase_names[one.phase]},
                        {"count", one.count},
                        {"seconds", seconds(one.time)}});
    return list;
}

Json over_time(const series::Series& series, std::uint64_t end)
{
    const series::Bins& bins = series.bins();
    Json spans = Json::array(), memories = Json::array(), blocks = Json::array();
    for (const series::PhaseSpan& span : series.spans(end))
        spans.push_back({{"name", phase_names[span.phase]},
                         {"begin", seconds(span.begin)},
                         {"end", seconds(span.end)}});
    for (const auto& memory : series.memories())
        memories.push_back({{"name", memory.name},
                            {"peak_bytes_per_s", memory.peak},
                            {"bytes", sums(bins, memory.channel, end)}});
    for (const auto& block : series.blocks())
        blocks.push_back({{"name", block.name}, {"busy", busy(bins, block.channel, end)}});
    return {{"bin_seconds", seconds(bins.width())},
            {"end", seconds(end)},
            {"phases", spans},
            {"memories", memories},
            {"blocks", blocks}};
}

Json requests(std::span<const RequestSpan> spans)
{
    const auto time = [](std::uint64_t ps) { return ps == 0 ? Json() : Json(seconds(ps)); };
    Json list = Json::array();
    for (const RequestSpan& span : spans.first(std::min(spans.size(), most_requests)))
        list.push_back({{"arrives", seconds(span.arrival_ps)},
                        {"taken", time(span.taken_ps)},
                        {"first_token", time(span.first_token_ps)},
                        {"left", time(span.left_ps)}});
    return {{"count", spans.size()}, {"list", std::move(list)}};
}

Json kept(const KeptTokens& kept)
{
    Json list = Json::array();
    for (const KeptTokens::Sequence& sequence : kept.sequences(most_kept))
        list.push_back({{"index", sequence.index}, {"gone", sequence.layers}});
    return {{"budget", kept.budget()},
            {"reason", kept.reason(most_kept)},
            {"sequences", std::move(list)}};
}

std::string piece(const Tokenizer& tokenizer, std::uint32_t previous, std::uint32_t token)
{
    if (token >= tokenizer.vocab())
        return "<token " + std::to_string(token) + ">";
    return std::string(tokenizer.piece(previous, token));
}

Json text(const Work& work, std::span<const std::vector<std::uint32_t>> generated)
{
    if (!work.model || !work.prepared || !work.model->has_data() ||
        work.model->tokenizer().kind() == LEVEE_TOKENIZER_NONE)
        return nullptr;
    const Tokenizer& tokenizer = work.model->tokenizer();
    const auto prompts = prompts_of(*work.prepared);
    Json list = Json::array();
    std::size_t total = 0;
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        std::vector<std::uint32_t> tokens(prompts[i].begin(), prompts[i].end());
        const std::size_t prompt = tokens.size();
        if (i < generated.size())
            tokens.insert(tokens.end(), generated[i].begin(), generated[i].end());
        total += tokens.size();
        if (total > most_tokens)
            break;
        Json pieces = Json::array();
        std::uint32_t previous = LEVEE_NO_TOKEN;
        for (const std::uint32_t token : tokens) {
            pieces.push_back(piece(tokenizer, previous, token));
            previous = token;
        }
        list.push_back({{"index", i}, {"prompt", prompt}, {"pieces", std::move(pieces)}});
    }
    const std::string reason = list.size() == prompts.size()
                                   ? ""
                                   : std::to_string(list.size()) + " of " +
                                         std::to_string(prompts.size()) + " sequences are shown.";
    return {{"reason", reason}, {"sequences", std::move(list)}};
}

} // namespace levee::report_data
