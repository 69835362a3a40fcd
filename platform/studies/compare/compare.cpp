// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/compare/compare.hpp"

#include "core/config/error.hpp"
#include "platform/observe/report/json_text.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/page.hpp"
#include "platform/run/run_files.hpp"
#include "platform/studies/compare/compare_text.hpp"

#include <cstdio>
#include <stdexcept>
#include <system_error>

namespace levee::compare {

namespace {

/// Throws if an output of the comparison would replace a file of a run.
void check_outputs(const Request& request)
{
    for (const std::filesystem::path& folder : request.folders) {
        const std::filesystem::path file = results_file(folder);
        if (request.csv && is_one_of({file}, *request.csv))
            throw std::runtime_error("--csv: " + config::in_quotes(request.csv->string()) +
                                     " has the results of a run; expected another file");
        std::error_code ignored;
        if (request.out && std::filesystem::equivalent(folder, *request.out, ignored))
            throw std::runtime_error("--out: " + config::in_quotes(request.out->string()) +
                                     " is the folder of a run, whose report would be replaced; "
                                     "expected another folder");
    }
}

} // namespace

int run_compare(const Request& request)
{
    std::vector<RunResults> runs;
    for (const std::filesystem::path& folder : request.folders)
        runs.push_back(read_results(folder));
    tell_apart(runs, request.folders);
    check_outputs(request);
    const Comparison comparison = compare(std::move(runs));
    const std::string text = comparison_text(comparison);
    if (request.csv)
        write_named(*request.csv, comparison_csv(comparison));
    if (request.out) {
        OutputFolder folder(*request.out);
        folder.lock();
        folder.write("compare.txt", text);
        folder.write("compare.csv", comparison_csv(comparison));
        const nlohmann::ordered_json data = comparison_data(comparison);
        folder.write("compare.json", json_text(data));
        write_page(folder.path() / "report.html", "compare", data);
    }
    if (!request.quiet)
        std::printf("%s", text.c_str());
    return 0;
}

} // namespace levee::compare
