// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/compare/compare.hpp"

#include "platform/observe/report/json_text.hpp"
#include "platform/observe/report/output_folder.hpp"
#include "platform/observe/report/page.hpp"
#include "platform/studies/compare/compare_text.hpp"

#include <cstdio>

namespace levee::compare {

int run_compare(const Request& request)
{
    std::vector<RunResults> runs;
    for (const std::filesystem::path& folder : request.folders)
        runs.push_back(read_results(folder));
    tell_apart(runs, request.folders);
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
