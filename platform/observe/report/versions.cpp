// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/report/versions.hpp"

#include "core/abi/boot_info.h"
#include "core/abi/model_image.h"
#include "core/shipped/shipped.hpp"

#include <nlohmann/json.hpp>

namespace levee {

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
    return shipped().scenarios;
}

std::string shipped_scenario(const std::string& name)
{
    return (std::filesystem::path(scenarios_folder()) / (name + ".yaml")).string();
}

std::string firmware_folder()
{
    return shipped().firmware;
}

} // namespace levee
