// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/run/trace_plan.hpp"

#include "platform/input/config/error.hpp"

#include <stdexcept>

namespace levee {

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
        if (kind == "instr")
            plan.instructions = trace;
        else if (kind == "bus")
            plan.bus = trace;
        else if (kind == "timeline")
            plan.timeline = trace;
        else
            throw std::runtime_error(
                "--trace: there is no kind of trace called '" + kind +
                "'; expected instr, bus or timeline, and behind a colon a file" +
                config::suggestion(kind, {"instr", "bus", "timeline"}));
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
