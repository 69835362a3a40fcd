// SPDX-License-Identifier: Apache-2.0
#include "core/shipped/shipped.hpp"

#include <unistd.h>

namespace levee {

namespace {

namespace fs = std::filesystem;

Shipped installed_in(const fs::path& share)
{
    const fs::path modules = share.parent_path().parent_path() / "lib/levee/rtl";
    return {share / "scenarios", share / "firmware", share / "explore",
            share / "source",    share / "lib",      modules,
            std::nullopt};
}

Shipped built_in(const fs::path& sources, const fs::path& build)
{
    return {sources / "scenarios",
            build / "firmware",
            sources / "platform/studies/explore",
            sources,
            build,
            build / "platform/rtl",
            build};
}

bool lies_in(const fs::path& file, const fs::path& folder)
{
    const fs::path relative = file.lexically_relative(folder);
    return !relative.empty() && *relative.begin() != "..";
}

} // namespace

Shipped shipped()
{
    std::error_code failed;
    const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
    const fs::path above = folder.parent_path();
    Shipped installed = installed_in(above / "share/levee");
    if (folder.filename() == "bin")
        return installed;
    if (lies_in(folder, fs::weakly_canonical(LEVEE_BUILD_FOLDER, failed))) {
        Shipped built = built_in(LEVEE_SOURCE_FOLDER, LEVEE_BUILD_FOLDER);
        built.can_build = access(LEVEE_BUILD_FOLDER, W_OK) == 0;
        return built;
    }
    const fs::path moved = (above / LEVEE_SOURCES_FROM_BUILD).lexically_normal();
    if (folder.filename() == "platform" && fs::is_directory(moved / "scenarios", failed))
        return built_in(moved, above);
    return installed;
}

} // namespace levee
