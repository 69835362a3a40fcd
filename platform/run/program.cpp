// SPDX-License-Identifier: Apache-2.0
#include "platform/run/program.hpp"

#include "platform/observe/report/versions.hpp"

#include <algorithm>

namespace levee {

namespace fs = std::filesystem;

namespace {

fs::path app_file(const config::WorkloadConfig& workload)
{
    fs::path file = program_file(workload);
    std::error_code ignored;
    if (is_own_program(workload) || fs::is_regular_file(file, ignored))
        return file;
    const fs::path folder = firmware_folder();
    std::vector<std::string> apps;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".elf")
            apps.push_back(entry.path().stem().string());
    std::sort(apps.begin(), apps.end());
    throw config::Error(workload.app_place, "'workload.app' is '" + workload.app +
                                                "', but there is no program " + file.string() +
                                                config::suggestion(workload.app, apps));
}

} // namespace

bool is_own_program(const config::WorkloadConfig& workload)
{
    return config::is_program_file(workload.app);
}

fs::path program_file(const config::WorkloadConfig& workload)
{
    if (is_own_program(workload))
        return workload.app;
    return fs::path(firmware_folder()) / (workload.app + ".elf");
}

Program load_program(const RunRequest& request, const config::Scenario& scenario)
{
    if (!request.elf && !scenario.workload)
        throw config::Error("the scenario '" + scenario.name +
                            "' names no program; expected --elf FILE, or a workload with an app");
    const fs::path file = request.elf ? *request.elf : app_file(*scenario.workload);
    return {file.string(), load_elf(file)};
}

riscv::CoreConfig core_for(const SystemPlan& plan, const Program& program)
{
    riscv::CoreConfig core = plan.config.core;
    core.reset_pc = program.image.entry;
    core.tohost = program.image.tohost;
    return core;
}

} // namespace levee
