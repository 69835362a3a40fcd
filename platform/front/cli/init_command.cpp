// SPDX-License-Identifier: Apache-2.0
#include "platform/front/cli/init_command.hpp"

#include "core/config/error.hpp"
#include "core/config/output_file.hpp"
#include "core/shipped/shipped.hpp"
#include "platform/front/schema/schema.hpp"
#include "platform/observe/report/output_folder.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace levee::cli {

namespace {

namespace fs = std::filesystem;

/// A file, or files of a folder, to copy from Levee's sources into a new project.
struct Part {
    fs::path from, to;
    std::string ending; ///< extension of the files to copy; empty: all
};

std::vector<Part> parts()
{
    const fs::path list = shipped().sources / "platform/front/init/parts.tsv";
    std::ifstream stream(list);
    if (!stream)
        throw config::Error(list.string() + ": is missing; expected it to be installed with Levee");
    std::vector<Part> all;
    for (std::string line; std::getline(stream, line);) {
        std::istringstream words(line);
        Part part;
        if (!line.starts_with('#') && words >> part.from >> part.to) {
            words >> part.ending;
            all.push_back(part);
        }
    }
    return all;
}

/// Creates the folder if it does not exist. Throws config::Error if it is not empty.
void make_empty(const fs::path& folder)
{
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_directory(folder, error))
        throw config::Error(folder.string() +
                            ": is not a folder; expected a new folder, or an empty one");
    try {
        (void)OutputFolder(folder);
    } catch (const std::runtime_error& refused) {
        throw config::Error((folder.empty() ? "''" : "") + std::string(refused.what()) +
                            "; expected a folder that can be written");
    }
    const fs::directory_iterator entries(folder, error);
    if (entries != fs::directory_iterator())
        throw config::Error(folder.string() + ": is not empty (it has '" +
                            entries->path().filename().string() +
                            "'); expected a new folder, or an empty one");
}

void copy_folder(const fs::path& from, const fs::path& to, const std::string& ending)
{
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
        if (!entry.is_regular_file() || !entry.path().string().ends_with(ending))
            continue;
        const fs::path file = to / entry.path().lexically_relative(from);
        fs::create_directories(file.parent_path());
        fs::copy_file(entry.path(), file);
    }
}

void copy_part(const Part& part, const fs::path& project)
{
    const fs::path from = shipped().sources / part.from, to = project / part.to;
    if (fs::is_directory(from))
        return copy_folder(from, to, part.ending);
    fs::copy_file(from, to);
}

void write_schema(const fs::path& file, const nlohmann::ordered_json& schema)
{
    constexpr int indent = 2;
    config::output_stream(file) << schema.dump(indent) << "\n";
}

/// Returns whether a shell finds this program under the name `levee`.
bool is_on_path(const fs::path& program)
{
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    std::error_code none_there;
    for (std::string folder; std::getline(folders, folder, ':');)
        if (fs::exists(fs::path(folder) / "levee", none_there))
            return fs::equivalent(fs::path(folder) / "levee", program, none_there);
    return false;
}

int make_project(const fs::path& project)
{
    make_empty(project);
    for (const Part& part : parts())
        copy_part(part, project);
    write_schema(project / "scenario.schema.json", schema::scenario(false));
    write_schema(project / "study.schema.json", schema::study());
    std::printf("%s: a scenario, a study, firmware, a plug-in and RTL; README.md there has their "
                "commands\n",
                project.c_str());
    const fs::path program = fs::read_symlink("/proc/self/exe");
    if (!is_on_path(program))
        std::printf("they expect this program on the PATH: export PATH=\"%s:$PATH\"\n",
                    program.parent_path().c_str());
    return 0;
}

} // namespace

void add_init_command(CLI::App& app, std::function<int()>& action)
{
    CLI::App* command = app.add_subcommand(
        "init", "Make a project: a scenario, a study, firmware, a plug-in and RTL");
    const auto folder = std::make_shared<std::string>();
    command->add_option("DIR", *folder, "A new folder, or an empty one")->required();
    command->callback([&action, folder] { action = [folder] { return make_project(*folder); }; });
}

} // namespace levee::cli
