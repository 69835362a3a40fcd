// SPDX-License-Identifier: Apache-2.0
#include "platform/run/run_report.hpp"

#include "core/units/clock.hpp"
#include "platform/observe/decisions/run_decisions.hpp"
#include "platform/observe/report/page.hpp"
#include "platform/run/report_data.hpp"

namespace levee {

namespace {

/// Returns why the report has no data about single tokens; empty if it has some.
std::string why_unknown(const RunInputs& inputs)
{
    if (config::keeps_all(inputs.scenario.kv_cache.boot.kv.kind))
        return "The cache keeps every token.";
    if (config::kv_rule(inputs.scenario.kv_cache.boot.kv.kind).votes)
        return "The report does not show single tokens for policies that evict by votes.";
    if (inputs.scenario.system.data == DataMode::TimingOnly)
        return "A timing-only run computes no attention, so it does not know which tokens a "
               "functional run would keep.";
    return "";
}

} // namespace

std::optional<KeptTokens> kept_tokens(const RunInputs& inputs)
{
    if (!RunReport::is_wanted(inputs) || !inputs.work.model || !inputs.work.prepared ||
        !why_unknown(inputs).empty())
        return std::nullopt;
    const ModelShape& shape = inputs.work.model->shape();
    return KeptTokens(shape.layers, shape.kv_heads, inputs.scenario.kv_cache.boot.kv.budget);
}

RunReport::RunReport(const RunContext& run) : run_(run), series_(run.inputs.plan, run.system) {}

void RunReport::complete(const Results& results)
{
    using report_data::Json;
    const Work& work = run_.inputs.work;
    Json data{{"results", Json::parse(results.json())},
              {"system", report_data::system(run_.inputs.plan)},
              {"operations", report_data::operations(series_)},
              {"series", report_data::over_time(series_, run_.recorder.ended_ps(now_ps()))},
              {"text", report_data::text(work, run_.recorder.tokens())}};
    if (const std::vector<RequestSpan> spans = run_.observers.request_spans(); !spans.empty())
        data["requests"] = report_data::requests(spans);
    if (const KeptTokens* kept = run_.decisions.kept())
        data["kept"] = report_data::kept(*kept);
    else if (work.prepared)
        data["kept"] = Json{{"reason", why_unknown(run_.inputs)}};
    write_page(run_.folder.path() / "report.html", "run", data);
}

} // namespace levee
