// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/versions.hpp"

#include "ip/common/boot_info.h"
#include "ip/common/model_image.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace levee {

namespace {

namespace fs = std::filesystem;

/// Candidate path of a folder relative to the program, and a file that identifies it.
struct Places {
    const char* built;
    const char* installed;
    const char* file;
};

/// The first candidate that contains its file, else `configured`.
std::string folder(const Places& places, const char* configured)
{
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
    for (const char* relative : {places.built, places.installed}) {
        const fs::path found = (program / relative).lexically_normal();
        if (fs::exists(found / places.file, failed))
            return found.string();
    }
    return configured;
}

} // namespace

std::string version()
{
    return LEVEE_VERSION;
}

nlohmann::ordered_json versions()
{
    return {{"levee", LEVEE_VERSION},
            {"results", 1},
            {"model_image", LEVEE_MODEL_FORMAT},
            {"boot_info", LEVEE_BOOT_INFO_VERSION}};
}

std::string compiler_name()
{
#ifdef __clang__
    return std::string("clang++ ") + __clang_version__;
#else
    return std::string("g++ ") + __VERSION__;
#endif
}

std::string build_type()
{
    return LEVEE_BUILD_TYPE;
}

std::string scenarios_folder()
{
    return folder({LEVEE_SCENARIOS_FROM_PROGRAM, "../share/levee/scenarios", "demo.yaml"},
                  LEVEE_SCENARIOS_FOLDER);
}

std::string firmware_folder()
{
    return folder({"../firmware", "../share/levee/firmware", "generate.elf"},
                  LEVEE_FIRMWARE_FOLDER);
}

} // namespace levee
