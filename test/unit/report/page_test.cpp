// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/page.hpp"
#include "platform/observe/report/remake.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <unistd.h>

namespace fs = std::filesystem;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

struct Folder {
    fs::path path = fs::temp_directory_path() / ("levee_page_" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
};

} // namespace

TEST_CASE("A page returns the data from which it was made, whatever they contain")
{
    const Folder folder;
    const Json data{{"text", "</script><script>alert(1)</script><!-- $& \\ \" \u2028"},
                    {"z", 1},
                    {"a", Json::array({1.5, nullptr, true})}};
    levee::write_page(folder.path / "report.html", "run", data);
    const Json content = levee::read_page(folder.path / "report.html");
    CHECK(content["kind"] == "run");
    CHECK(content["data"].dump() == data.dump()); // The order is the same, too.
}

TEST_CASE("Nothing in a page's data can end its script element or begin another")
{
    const std::string empty = levee::page_text("run", Json::object());
    const std::string evil = levee::page_text("run", Json{{"t", "</script><script><!--"}});
    const auto count = [](const std::string& text, const std::string& part) {
        std::size_t found = 0;
        for (std::size_t at = text.find(part); at != std::string::npos;
             at = text.find(part, at + 1))
            ++found;
        return found;
    };
    CHECK(count(evil, "</script") == count(empty, "</script"));
    CHECK(count(evil, "<!--") == count(empty, "<!--"));
}

TEST_CASE("A page has licence notices and loads nothing")
{
    const std::string page = levee::page_text("sweep", Json::object());
    CHECK_THAT(page, Contains("Apache ECharts"));
    CHECK_THAT(page, Contains("Redistributions in binary form")); // The page contains zrender's
                                                                  // licence.
    CHECK_THAT(page, Contains("default-src 'none'"));
    CHECK_THAT(page, !Contains("<link"));
    CHECK_THAT(page, !Contains("<script src"));
}

TEST_CASE("Unknown kinds of pages, and files that are no pages, are refused by name")
{
    const Folder folder;
    CHECK_THROWS_AS(levee::page_text("picture", Json::object()), std::invalid_argument);
    const auto refusal = [&](const std::string& name) -> std::string {
        try {
            (void)levee::read_page(folder.path / name);
        } catch (const std::runtime_error& error) {
            return error.what();
        }
        return "";
    };
    std::ofstream(folder.path / "other.html") << "<html></html>";
    CHECK_THAT(refusal("other.html"),
               Contains("other.html: is not a report; expected a page that levee has written"));
    CHECK_THAT(refusal("missing.html"), Contains("missing.html: cannot be read"));
    std::ofstream(folder.path / "cut.html")
        << "<script type=\"application/json\" id=\"levee-data\">{\"kind\":\"run\",</script>";
    CHECK_THAT(refusal("cut.html"), Contains("cut.html: the data in this page are damaged"));
}

TEST_CASE("A folder's page is made again from its data, a study's data first")
{
    const Folder folder;
    const auto kind = [&] {
        return levee::read_page(levee::remake_page(folder.path))["kind"].get<std::string>();
    };
    std::ofstream(folder.path / "results.json") << R"({"metrics": {"sim.seconds": 1}})";
    CHECK(kind() == "run");
    levee::write_page(folder.path / "report.html", "reproduce", Json{{"rows", 1}});
    CHECK(kind() == "reproduce");
    CHECK(levee::read_page(folder.path / "report.html")["data"].dump() == R"({"rows":1})");
    std::ofstream(folder.path / "sweep.json") << R"({"points": []})";
    CHECK(kind() == "sweep");
}

TEST_CASE("A folder without results, or with damaged results, is refused by name")
{
    const Folder folder;
    CHECK_THROWS_WITH(levee::remake_page(folder.path), Contains("no results; expected sweep.json"));
    std::ofstream(folder.path / "results.json") << "[]";
    CHECK_THROWS_WITH(levee::remake_page(folder.path),
                      Contains("results.json: expected a JSON object with 'metrics'"));
    CHECK_FALSE(fs::exists(folder.path / "report.html"));
}
