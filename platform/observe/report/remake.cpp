// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/remake.hpp"

#include "core/config/bounded_json.hpp"
#include "core/config/regular_file.hpp"
#include "platform/observe/report/page.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <stdexcept>
#include <string>

namespace levee {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// The object in a file; `member` must be in it.
Json read(const fs::path& file, const char* member)
{
    std::ifstream stream = config::regular_stream(file);
    if (!stream)
        throw std::runtime_error(file.string() + ": " + config::why_unreadable(file));
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    Json json = config::bounded_ordered_json(text).value_or(Json());
    if (!json.is_object() || !json.contains(member))
        throw std::runtime_error(file.string() + ": expected a JSON object with '" + member + "'");
    return json;
}

} // namespace

fs::path remake_page(const fs::path& folder)
{
    fs::path page = folder / "report.html";
    if (fs::exists(folder / "sweep.json")) {
        write_page(page, "sweep", read(folder / "sweep.json", "points"));
    } else if (fs::exists(folder / "compare.json")) {
        write_page(page, "compare", read(folder / "compare.json", "runs"));
    } else if (fs::exists(page)) {
        const Json content = read_page(page);
        write_page(page, content["kind"].get<std::string>(), content["data"]);
    } else if (fs::exists(folder / "results.json")) {
        write_page(page, "run", Json{{"results", read(folder / "results.json", "metrics")}});
    } else {
        throw std::runtime_error(folder.string() +
                                 ": no results; expected sweep.json, compare.json, report.html or "
                                 "results.json in this folder");
    }
    return page;
}

} // namespace levee
