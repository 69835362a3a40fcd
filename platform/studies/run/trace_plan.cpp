// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/run/trace_plan.hpp"

#include "platform/input/config/error.hpp"

#include <array>
#include <stdexcept>

namespace levee {

namespace {

/// A kind of trace as --trace names it, and where the plan has it.
struct TraceKind {
    const char* word;
    std::optional<TracePlan::Trace> TracePlan::*trace;
};
constexpr std::array trace_kinds{TraceKind{"instr", &TracePlan::instructions},
                                 TraceKind{"bus", &TracePlan::bus},
                                 TraceKind{"timeline", &TracePlan::timeline}};

std::optional<TracePlan::Trace> TracePlan::*trace_of_kind(const std::string& kind)
{
    std::vector<std::string> words;
    for (const TraceKind& known : trace_kinds) {
        if (kind == known.word)
            return known.trace;
        words.emplace_back(known.word);
    }
    throw std::runtime_error("--trace: there is no kind of trace called '" + kind +
                             "'; expected one of " + trace_words(", ") +
                             ", and behind a colon a file" + config::suggestion(kind, words));
}

} // namespace

std::string trace_words(const std::string& between)
{
    std::string words;
    for (const TraceKind& kind : trace_kinds)
        words += (words.empty() ? "" : between) + kind.word;
    return words;
}

TracePlan plan_traces(const RunRequest& request)
{
    TracePlan plan;
    plan.sockets = request.trace_sockets;
    plan.inside = request.trace_inside;
    for (const std::string& text : request.traces) {
        const auto colon = text.find(':');
        const std::string kind = text.substr(0, colon);
        TracePlan::Trace trace;
        if (colon != std::string::npos && colon + 1 < text.size())
            trace.file = text.substr(colon + 1);
        plan.*trace_of_kind(kind) = trace;
    }
    if (!plan.sockets.empty() && !plan.bus)
        throw std::runtime_error(
            "--trace-bus chooses what '--trace bus' writes; expected that too");
    if (!plan.inside.empty() && !plan.timeline)
        throw std::runtime_error(
            "--trace-inside adds to what '--trace timeline' writes; expected that too");
    return plan;
}

} // namespace levee
