// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/remake.hpp"

#include "core/config/bounded_json.hpp"
#include "core/config/regular_file.hpp"
#include "platform/observe/report/page.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <stdexcept>
#include <string>

namespace levee {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

/// Reads the JSON object in a file. Throws std::runtime_error if it lacks `member`.
Json read(const fs::path& file, const char* member)
{
    constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;
    std::string why;
    const std::optional<std::string> text = config::read_file(file, most_bytes, why);
    if (!text)
        throw std::runtime_error(file.string() + ": " + why);
    Json json = config::bounded_ordered_json(*text).value_or(Json());
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
    } else if (fs::exists(folder / "faults.json")) {
        write_page(page, "faults", read(folder / "faults.json", "sites"));
    } else if (fs::exists(folder / "compare.json")) {
        write_page(page, "compare", read(folder / "compare.json", "runs"));
    } else if (fs::exists(page)) {
        const Json content = read_page(page);
        write_page(page, content["kind"].get<std::string>(), content["data"]);
    } else if (fs::exists(folder / "results.json")) {
        write_page(page, "run", Json{{"results", read(folder / "results.json", "metrics")}});
    } else {
        throw std::runtime_error(folder.string() +
                                 ": no results; expected sweep.json, faults.json, compare.json, "
                                 "report.html or "
                                 "results.json in this folder");
    }
    return page;
}

} // namespace levee
