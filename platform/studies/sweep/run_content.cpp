// SPDX-License-Identifier: Apache-2.0
#include "platform/studies/sweep/run_content.hpp"

#include "core/rtl/build/module_sources.hpp"
#include "core/shipped/shipped.hpp"
#include "platform/machine/assembly/plan.hpp"
#include "platform/run/program.hpp"

#include <nlohmann/json.hpp>

namespace levee::sweep {

namespace fs = std::filesystem;

std::string RunContent::of(const config::Scenario& scenario)
{
    std::string content = "levee " + files_.of("/proc/self/exe") + "\n";
    for (const fs::path& file : scenario.files)
        content += "file " + files_.of(file) + "\n";
    for (const config::ComponentLibrary& library : scenario.system.libraries)
        for (const fs::path& file : files_of(library))
            content += "library " + files_.of(file) + "\n";
    if (scenario.workload) {
        const fs::path program = program_file(*scenario.workload);
        std::error_code ignored;
        if (fs::is_regular_file(program, ignored)) { // if the program is missing, the run reports
                                                     // it
            content += "program " + files_.of(program) + "\n";
            programs_.insert(program.string());
        }
    }
    for (const auto* list : {&scenario.system.memories, &scenario.system.blocks})
        for (const config::Component& component : *list)
            content += of_rtl(component.node);
    return content + config::to_json(scenario.resolved).dump();
}

/// Returns hashes of the RTL that a component simulates: those of Levee's own RTL, which is not in
/// Levee's program, and those of the user's RTL if `rtl` is a map.
std::string RunContent::of_rtl(const config::Node& component)
{
    std::string content;
    const config::Node* const implementation = component.find("impl");
    if (implementation != nullptr && implementation->scalar != "tlm")
        content += "modules " + of_modules() + "\n";
    const config::Node* const rtl = component.find("rtl");
    if (rtl == nullptr || !rtl->is_map())
        return content;
    const own_rtl::Description description = own_rtl::read_description(*rtl);
    for (const fs::path& file : description.files)
        content += "rtl " + files_.of(file) + "\n";
    for (const auto& [name, file] : included_.of(description))
        content += "rtl " + name + " " + files_.of(file) + "\n";
    return content;
}

const std::string& RunContent::of_modules()
{
    if (modules_.empty()) {
        std::string content;
        for (const fs::path& file : own_rtl::module_sources(shipped().sources))
            content += files_.of(file) + "\n";
        modules_ = content_hash(content);
    }
    return modules_;
}

std::string run_key(const std::string& content, std::uint64_t seed)
{
    return content_hash(content + "\nseed " + std::to_string(seed));
}

} // namespace levee::sweep
