// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/work.hpp"

#include "core/config/bounded_json.hpp"
#include "core/config/output_file.hpp"
#include "platform/observe/report/results.hpp"
#include "platform/run/run.hpp"
#include "platform/studies/sweep/forks.hpp"

#include <cstdio>
#include <exception>
#include <fstream>

namespace levee::sweep {

namespace {

namespace fs = std::filesystem;

std::string message(const nlohmann::json& metrics, const std::vector<std::string>& warnings,
                    const std::string& error)
{
    const nlohmann::json record{{"metrics", metrics}, {"warnings", warnings}, {"error", error}};
    return record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string message(const Results& results)
{
    nlohmann::json metrics = nlohmann::json::object();
    for (const auto& [name, value] : results.metrics)
        std::visit([&written = metrics[name]](const auto& figure) { written = figure; }, value);
    return message(metrics, results.warnings, results.error);
}

/// Returns the metrics, warnings and error in a kept folder's results.json.
std::string message(const fs::path& folder)
{
    const nlohmann::json results = config::bounded_json_file(folder / "results.json").value();
    return message(results.at("metrics"), results.at("warnings"), results.value("error", ""));
}

} // namespace

std::string kept_folder(const std::string& key)
{
    constexpr std::size_t digits = 12;
    return "runs/" + key.substr(0, 2) + "/" + key.substr(0, digits);
}

int work_on(const Work& work, const PlannedRun& run, const fs::path& scratch, int output)
{
    RunRequest request;
    request.scenario = work.study.scenario.string();
    request.source = &work.source;
    request.overrides = work.study.points[run.point].overrides;
    request.seed = run.seed;
    request.allow_outside = work.allow_outside;
    request.quiet = true;
    request.report = false;
    request.out = work.study.keep ? work.out / kept_folder(run.key) : scratch;
    std::string handed;
    if (!work.study.keep)
        request.take_results = [&](const Results& results) { handed = message(results); };
    int code = run_not_begun;
    try {
        config::make_inner_folder(work.out, *request.out);
        if (work.study.keep)
            print_into(*request.out / "log.txt");
        code = run_scenario(request);
        if (work.study.keep)
            handed = message(*request.out);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        handed = message(nlohmann::json::object(), {},
                         work.study.origins.placed(error.what(), request.overrides));
    }
    hand_over(handed, output);
    return code;
}

} // namespace levee::sweep
