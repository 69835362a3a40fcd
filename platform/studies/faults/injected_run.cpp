// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/faults/injected_run.hpp"

#include "core/config/bounded_json.hpp"
#include "core/config/error.hpp"
#include "platform/observe/faults/fault.hpp"
#include "platform/run/run.hpp"

#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>

namespace levee::campaign {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* out_of_memory =
    "this computer has too little memory for the run"; // same text as in Run::simulate

std::string text_of(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunRequest request_of(const Work& work, const fs::path& scratch)
{
    RunRequest request;
    request.scenario = work.scenario.string();
    request.source = &work.source;
    request.overrides = work.overrides;
    request.allow_outside = work.allow_outside;
    request.quiet = true;
    request.report = false;
    request.out = scratch;
    return request;
}

/// Executes a run. If it cannot start, sets `json["error"]`.
int run(const RunRequest& request, Json& json)
{
    try {
        fs::create_directories(*request.out);
        return run_scenario(request);
    } catch (const std::exception& error) {
        json["error"] = error.what();
        return run_not_begun;
    }
}

/// Returns the last line of what a process has printed.
std::string last_line(std::string log)
{
    log.erase(log.find_last_not_of("\r\n") + 1);
    return log.substr(log.rfind('\n') + 1);
}

/// Returns the error message for a process that ended without a result.
std::string broken_end(const sweep::Ended& ended)
{
    const std::string end = ended.code >= sweep::signal_base
                                ? ::strsignal(ended.code - sweep::signal_base)
                                : "exit code " + std::to_string(ended.code);
    const std::string said = last_line(ended.log);
    return end + (said.empty() ? "" : ": " + said);
}

} // namespace

int run_without_fault(const Work& work, const fs::path& scratch, int output)
{
    RunRequest request = request_of(work, scratch);
    Json json;
    request.take_fault_places = [&](const faults::Survey& survey) {
        json["survey"] = faults::to_json(survey);
    };
    request.take_results = [&](const Results& results) {
        json["reference"] = to_json(reference_of(results));
        if (!results.error.empty())
            json["error"] = results.error;
    };
    const int code = run(request, json);
    sweep::hand_over(text_of(json), output);
    return code;
}

Json record_of_golden(const sweep::Ended& ended)
{
    Json json = config::bounded_json(ended.output).value_or(Json());
    if (!json.is_object() || ended.code >= sweep::signal_base)
        json = {{"broken", broken_end(ended)}};
    else if (ended.code != 0 && !json.contains("error"))
        json["error"] = broken_end(ended);
    return json;
}

Golden golden_of(const Json& record)
{
    if (record.contains("broken"))
        throw std::runtime_error("the run without a fault crashed Levee itself: " +
                                 record["broken"].get<std::string>());
    if (record.contains("error"))
        throw config::Error("the run without a fault fails: " + record["error"].get<std::string>());
    return {faults::survey_of(record.at("survey")), reference_of(record.at("reference"))};
}

int run_with_fault(const Work& work, const Golden& golden, double limit, const faults::Fault& fault,
                   const fs::path& scratch, int output)
{
    RunRequest request = request_of(work, scratch);
    request.max_sim_ps = static_cast<std::uint64_t>(limit * static_cast<double>(golden.survey.end));
    Json json;
    std::string flipped;
    const faults::Injection injection{
        fault, [&](const std::string& text) { flipped += (flipped.empty() ? "" : "; ") + text; },
        [&](const std::string& why) { json["error"] = why; }};
    request.fault = &injection;
    std::optional<Results> taken;
    request.take_results = [&](const Results& results) { taken = results; };
    const int code = run(request, json);
    if (taken) {
        Outcome outcome = compare(golden.reference, *taken, code);
        outcome.flipped = flipped;
        if (taken->error == out_of_memory)
            outcome.effect = Effect::HostCrash;
        json["outcome"] = to_json(outcome);
    }
    sweep::hand_over(text_of(json), output);
    return 0;
}

Outcome outcome_of_process(const sweep::Ended& ended)
{
    const Json json = config::bounded_json(ended.output).value_or(Json());
    if (json.is_object() && json.contains("error"))
        throw std::runtime_error(json["error"].get<std::string>());
    if (json.is_object() && json.contains("outcome") && ended.code == 0)
        return outcome_of(json["outcome"]);
    Outcome outcome;
    outcome.effect = Effect::HostCrash;
    outcome.by = broken_end(ended);
    return outcome;
}

} // namespace levee::campaign
