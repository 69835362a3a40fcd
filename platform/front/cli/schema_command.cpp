// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/schema_command.hpp"

#include "platform/front/schema/schema.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace levee::cli {

namespace {

struct FileKind {
    const char* name;
    nlohmann::ordered_json (*schema)();
};
constexpr FileKind file_kinds[] = {{"scenario", [] { return schema::scenario(false); }},
                                   {"study", schema::study},
                                   {"exploration", schema::exploration},
                                   {"faults", schema::faults},
                                   {"reproduction", schema::reproduction},
                                   {"prices", schema::price_list},
                                   {"statistics", schema::statistics}};

std::vector<std::string> kind_names()
{
    std::vector<std::string> names;
    for (const FileKind& kind : file_kinds)
        names.emplace_back(kind.name);
    return names;
}

struct SchemaRequest {
    std::string file = file_kinds[0].name;
    bool complete = false;
    bool markdown = false;
};

std::string schema_text(const SchemaRequest& request)
{
    if (request.markdown)
        return schema::reference_page();
    constexpr int indent = 2;
    if (!request.complete)
        return std::ranges::find(file_kinds, request.file, &FileKind::name)->schema().dump(indent) +
               "\n";
    if (request.file != file_kinds[0].name)
        throw std::runtime_error("--complete applies only to scenarios; other kinds of files are "
                                 "always complete");
    return schema::scenario(true).dump(indent) + "\n";
}

} // namespace

void add_schema_command(CLI::App& app, std::function<int()>& action)
{
    CLI::App* command =
        app.add_subcommand("schema", "Print the JSON Schema of a kind of file, for editors");
    const auto request = std::make_shared<SchemaRequest>();
    command->add_option("FILE", request->file, "Kind of file")
        ->check(CLI::IsMember(kind_names()))
        ->capture_default_str();
    command->add_flag(
        "--complete", request->complete,
        "Require all keys of a resolved scenario, as `describe --resolved` prints it; by "
        "default, keys may be missing, since files may be combined");
    command->add_flag("--markdown", request->markdown,
                      "Print the reference page of all keys instead");
    command->callback([&action, request] {
        action = [request] {
            std::fputs(schema_text(*request).c_str(), stdout);
            return 0;
        };
    });
}

} // namespace levee::cli
