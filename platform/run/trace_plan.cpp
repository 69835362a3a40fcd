// SPDX-License-Identifier: Apache-2.0
#include "platform/run/trace_plan.hpp"

#include "core/config/error.hpp"
#include "platform/observe/trace/timeline_writer.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace levee {

namespace {

/// A kind of trace: its name in --trace, its member in the plan, and its file in the results
/// folder.
struct TraceKind {
    const char* word;
    std::optional<TracePlan::Trace> TracePlan::*trace;
    const char* file;
};
constexpr std::array trace_kinds{TraceKind{"instr", &TracePlan::instructions, "instr.txt"},
                                 TraceKind{"bus", &TracePlan::bus, "bus.txt"},
                                 TraceKind{"timeline", &TracePlan::timeline, "timeline.json.gz"},
                                 TraceKind{"signals", &TracePlan::signals, "signals.vcd"}};

const TraceKind& trace_kind(const std::string& kind)
{
    std::vector<std::string> words;
    for (const TraceKind& known : trace_kinds) {
        if (kind == known.word)
            return known;
        words.emplace_back(known.word);
    }
    throw std::runtime_error("--trace: there is no kind of trace called '" + kind + "'" +
                             config::suggestion(kind, words));
}

/// Returns the end of the part of a run that begins at index `from` of an option's text. A colon in
/// "token:" or "layer:" belongs to the part.
std::size_t end_of_part(const std::string& text, std::size_t from)
{
    for (const std::string word : {"token:", "layer:"})
        if (text.compare(from, word.size(), word) == 0)
            from += word.size();
    return std::min(text.find_first_of(":@", from), text.size());
}

/// Reads KIND[@PART...][:FILE]. `behind_kind` is the index after the kind.
TracePlan::Trace read_trace(const std::string& text, std::size_t behind_kind, const char* name)
{
    TracePlan::Trace trace{name, std::nullopt};
    std::size_t at = behind_kind;
    while (at < text.size() && text[at] == '@') {
        const std::size_t end = end_of_part(text, at + 1);
        try {
            trace::add_window(trace.window, text.substr(at + 1, end - at - 1));
        } catch (const std::invalid_argument& error) {
            throw std::runtime_error("--trace " + text + ": " + error.what());
        }
        at = end;
    }
    if (at + 1 < text.size())
        trace.file = text.substr(at + 1);
    return trace;
}

} // namespace

std::string trace_words(const std::string& between)
{
    std::string words;
    for (const TraceKind& kind : trace_kinds)
        words += (words.empty() ? "" : between) + kind.word;
    return words;
}

std::vector<NamedFile> trace_files(const TracePlan& plan, const std::filesystem::path& results)
{
    std::vector<NamedFile> files;
    for (const TraceKind& kind : trace_kinds)
        if (const auto& trace = plan.*kind.trace)
            files.push_back({std::string("--trace ") + kind.word, trace->in(results)});
    return files;
}

TracePlan plan_traces(const RunRequest& request)
{
    TracePlan plan;
    plan.sockets = request.trace_sockets;
    plan.inside = request.trace_inside;
    for (const std::string& text : request.traces) {
        const std::size_t behind_kind = std::min(text.find_first_of(":@"), text.size());
        const TraceKind& known = trace_kind(text.substr(0, behind_kind));
        plan.*known.trace = read_trace(text, behind_kind, known.file);
    }
    for (const TraceKind& kind : trace_kinds)
        if (const auto& trace = plan.*kind.trace;
            trace && kind.trace != &TracePlan::timeline && trace::is_perfetto(trace->in({})))
            throw std::runtime_error(std::string("--trace ") + kind.word + ": '" +
                                     trace->in({}).string() +
                                     "' is the name of a timeline in Perfetto's format; expected "
                                     "--trace timeline, or another name");
    if (plan.signals && !plan.signals->window.is_everything())
        throw std::runtime_error("--trace signals: a signal trace always covers the whole run; "
                                 "expected no @FROM..TO");
    if (plan.signals && plan.signals->in({}).extension() != ".vcd")
        throw std::runtime_error("--trace signals: '" + plan.signals->in({}).string() +
                                 "' is not the name of a VCD file; expected one that ends in .vcd");
    if (!plan.sockets.empty() && !plan.bus)
        throw std::runtime_error("--trace-bus has no effect without '--trace bus'; expected both");
    if (!plan.inside.empty() && !plan.timeline)
        throw std::runtime_error(
            "--trace-inside has no effect without '--trace timeline'; expected both");
    return plan;
}

} // namespace levee
