// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/build/module.hpp"

#include "core/config/error.hpp"
#include "core/config/lock.hpp"
#include "core/config/output_file.hpp"
#include "core/rtl/build/build_settings.hpp"
#include "core/rtl/build/module_sources.hpp"
#include "core/rtl/build/tools.hpp"
#include "core/shipped/shipped.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <stdexcept>
#include <string_view>
#include <sys/file.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace levee::own_rtl {

namespace {

namespace fs = std::filesystem;
using config::Error;

/// Lock of a build folder, shared with the script ./levee, so that only one build runs at a time.
class BuildLock {
public:
    explicit BuildLock(const fs::path& build)
        : file_(config::open_output(build / "lock", {.reads = true}))
    {
        if (flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            std::fprintf(stderr, "levee: waiting for another build in %s (%s)\n", build.c_str(),
                         config::written_holder(file_).c_str());
        if (flock(file_.number(), LOCK_EX) != 0)
            throw Error((build / "lock").string() + ": cannot be locked");
        config::write_holder(file_);
    }

private:
    config::Descriptor file_;
};

/// Whether the build system must run, because the module is missing or some source of any module is
/// newer. Only the build system knows which sources this module has.
bool may_be_old(const fs::path& module, const fs::path& sources)
{
    std::error_code missing;
    const fs::file_time_type built = fs::last_write_time(module, missing);
    if (missing)
        return true;
    const std::vector<fs::path> files = module_sources(sources);
    return std::ranges::any_of(
        files, [&](const fs::path& file) { return fs::last_write_time(file) > built; });
}

/// Runs the build. Its output goes to the terminal if there is one, otherwise to `log`.
void run_build(const std::string& name, const fs::path& log)
{
    const std::vector<std::string> words = {settings::cmake,
                                            "--build",
                                            settings::build_folder,
                                            "--target",
                                            name,
                                            "--parallel",
                                            std::to_string(std::thread::hardware_concurrency())};
    std::error_code ignored;
    fs::remove(log, ignored);
    const bool shows = isatty(STDERR_FILENO) != 0;
    if (run_command(words, shows ? "/dev/stderr" : log) == 0)
        return;
    std::string command;
    for (std::size_t i = 0; i < 5; ++i)
        command += (i == 0 ? "" : " ") + words[i];
    throw Error(name + ": this block's RTL cannot be built; " + command + " failed" +
                (shows ? "" : ":\n" + config::shortened(read_text(log), 3000)));
}

void build_if_old(const std::string& name, const fs::path& module, const Shipped& own)
{
    const BuildLock lock(*own.build); // Without the lock, a module could be seen while another
                                      // process is still linking it.
    if (!may_be_old(module, own.sources))
        return;
    std::error_code failed;
    if (!fs::exists(module))
        std::fprintf(stderr, "levee: building %s (Verilator, C++), once\n", name.c_str());
    const auto begun = fs::file_time_type::clock::now();
    run_build(name, *own.build / "module.log");
    // Gives the module a new time stamp, so that newer sources of other modules do not cause this
    // check again.
    if (fs::last_write_time(module, failed) < begun)
        fs::last_write_time(module, begun, failed);
}

/// Builds a library of the tree if it is missing or may be outdated. Throws config::Error if the
/// build fails, or if the library is missing and this program cannot build it.
void prepare(const std::string& name, const fs::path& library, const Shipped& own)
{
    if (own.can_build)
        build_if_old(name, library, own);
    else if (!fs::exists(library))
        throw Error(library.string() +
                    ": is missing; it contains this block's RTL, which is built " +
                    (own.build ? "in the build folder of Levee's source tree"
                               : "and installed with Levee"));
}

template <typename Function> Function symbol(void* library, const char* name)
{
    return reinterpret_cast<Function>(dlsym(library, name));
}

} // namespace

Loaded open_library(const fs::path& file)
{
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
        throw std::runtime_error(std::string("the design cannot be loaded: ") + dlerror());
    Loaded loaded;
    if (const auto model = symbol<const void* (*)()>(handle, "levee_rtl_model"))
        loaded.model = model();
    if (const auto recording = symbol<Recording (*)()>(handle, "levee_own_recording"))
        loaded.recording = recording();
    if (loaded.model == nullptr)
        throw std::runtime_error(file.string() +
                                 ": is not a library with a Verilated design of Levee");
    return loaded;
}

std::vector<fs::path> module_sources(const fs::path& sources)
{
    std::vector<fs::path> files;
    std::error_code missing; // Builds without tests lack the design that only tests use.
    for (const char* const folder : {"ip", "rtl", "cmake", "core/rtl", "test/twin"})
        for (const auto& entry : fs::recursive_directory_iterator(sources / folder, missing))
            if (entry.is_regular_file() && entry.path().extension() != ".md")
                files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

const void* module_model(const std::string& name)
{
    static std::map<std::string, const void*> models;
    const auto known = models.find(name);
    if (known != models.end())
        return known->second;
    const Shipped own = shipped();
    const fs::path module = own.modules / (name + ".so");
    prepare(name, module, own);
    return models.emplace(name, open_library(module).model).first->second;
}

void make_libraries(const std::vector<fs::path>& libraries)
{
    const Shipped own = shipped();
    constexpr std::size_t prefix = std::string_view("lib").size();
    for (const fs::path& library : libraries)
        prepare(library.stem().string().substr(prefix), library, own);
}

} // namespace levee::own_rtl
