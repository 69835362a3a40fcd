// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/debug/loaded_program.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace levee::debug {

namespace fs = std::filesystem;

namespace {

/// Maximum size of a patch. If a debugger has written more bytes around the pc, it has replaced the
/// program.
constexpr std::uint64_t longest_patch = 32;

/// Returns the address of the first byte at which memory and the segment differ; nothing if they
/// are equal.
std::optional<std::uint32_t> differs(riscv::Core& core, const ElfSegment& segment)
{
    std::array<std::uint8_t, 4096> memory{};
    for (std::size_t done = 0; done < segment.data.size();) {
        const auto address = static_cast<std::uint32_t>(segment.address + done);
        const std::size_t wanted = std::min(memory.size(), segment.data.size() - done);
        const std::size_t got = core.debug_read(address, std::span(memory).first(wanted));
        const auto [there, here] =
            std::mismatch(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(got),
                          segment.data.begin() + static_cast<std::ptrdiff_t>(done));
        const auto equal = static_cast<std::size_t>(there - memory.begin());
        if (equal < got || got == 0)
            return address + static_cast<std::uint32_t>(equal);
        done += got;
    }
    return std::nullopt;
}

/// Returns the parts of a segment that are in `read_only`. If `read_only` is empty, returns the
/// whole segment.
std::vector<ElfSegment> constant_parts(const ElfSegment& segment,
                                       const std::vector<ElfRange>& read_only)
{
    if (read_only.empty())
        return {segment};
    std::vector<ElfSegment> parts;
    const std::uint64_t begin = segment.address, end = begin + segment.data.size();
    for (const ElfRange& range : read_only) {
        const std::uint64_t first = std::max(begin, range.begin), last = std::min(end, range.end);
        if (first >= last)
            continue;
        const auto at = segment.data.begin();
        parts.push_back({static_cast<std::uint32_t>(first),
                         static_cast<std::uint32_t>(last - first),
                         {at + static_cast<std::ptrdiff_t>(first - begin),
                          at + static_cast<std::ptrdiff_t>(last - begin)}});
    }
    return parts;
}

/// Writes a segment to memory. Returns false if memory cannot be written there.
bool put(riscv::Core& core, const ElfSegment& segment)
{
    std::vector<std::uint8_t> bytes = segment.data;
    bytes.resize(segment.memory_bytes);
    for (std::size_t done = 0; done < bytes.size();) {
        const unsigned put = core.debug_write(static_cast<std::uint32_t>(segment.address + done),
                                              std::span(bytes).subspan(done));
        if (put == 0)
            return false;
        done += put;
    }
    return true;
}

} // namespace

LoadedProgram::LoadedProgram(const MachineView& machine, fs::path file,
                             std::function<void(const ElfImage&)> changed)
    : machine_(machine), file_(std::move(file)), changed_(std::move(changed))
{
}

void LoadedProgram::wrote(std::uint32_t address, std::size_t bytes)
{
    written_.push_back({address, std::uint64_t{address} + bytes});
}

/// Returns whether the debugger has written more bytes around the pc than a patch would.
bool LoadedProgram::has_written_program()
{
    std::vector<Range> all = std::exchange(written_, {});
    std::ranges::sort(all, {}, &Range::begin);
    const std::uint32_t pc = machine_.system().core().hart().pc();
    Range around{0, 0};
    for (const Range& next : all) {
        if (next.begin > around.end)
            around = next;
        around.end = std::max(around.end, next.end);
        if (pc >= around.begin && pc < around.end && around.end - around.begin > longest_patch)
            return true;
    }
    return false;
}

/// Compares memory with the parts of the file that programs do not write: code and constants. If
/// the file has no such parts, compares the whole file.
std::optional<std::uint32_t> LoadedProgram::differs(const ElfImage& image) const
{
    for (const ElfSegment& segment : image.segments)
        for (const ElfSegment& part : constant_parts(segment, image.read_only))
            if (const auto at = debug::differs(machine_.system().core(), part))
                return at;
    return image.segments.empty() ? std::optional(image.entry) : std::nullopt;
}

std::vector<fs::path> LoadedProgram::candidates() const
{
    std::vector<fs::path> beside;
    std::error_code ignored;
    const fs::path folder = file_.has_parent_path() ? file_.parent_path() : fs::path(".");
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".elf" && entry.path() != file_)
            beside.push_back(entry.path());
    std::ranges::sort(beside);
    beside.insert(beside.begin(), file_);
    if (named_)
        beside.insert(beside.begin(), *named_);
    return beside;
}

bool LoadedProgram::try_file(const fs::path& file)
{
    try {
        ElfImage image = load_elf(file);
        if (differs(image))
            return false;
        warning_ = "a debugger loaded " + file.string() + " in place of " + file_.string();
        adopt(std::move(image));
        return true;
    } catch (const ElfError&) {
        return false;
    }
}

void LoadedProgram::adopt(ElfImage image)
{
    changed_(images_.emplace_back(std::move(image)));
}

std::string LoadedProgram::going_on()
{
    if (written_.empty() || !has_written_program() || !differs(machine_.program()))
        return {};
    for (const fs::path& file : candidates())
        if (try_file(file))
            return "levee: the program is now " + file.string() +
                   "; names and checks now use its code, stacks and arrays\n";
    warning_ = "a debugger loaded a program from an unknown file in place of " + file_.string() +
               ": functions have no names, and nothing is checked against its code, stacks and "
               "arrays";
    adopt({});
    return "levee: no file of the loaded program is known: functions have no names, and nothing is "
           "checked against its code, stacks and arrays; 'monitor program FILE' names the file\n";
}

std::string LoadedProgram::use(const fs::path& file)
{
    std::error_code ignored;
    const fs::path path = fs::absolute(file, ignored);
    try {
        ElfImage image = load_elf(path);
        named_ = path;
        if (const auto at = differs(image))
            return "memory does not hold the program " + path.string() + ": at " +
                   format("0x%08x", *at) +
                   " the bytes differ; the next program that is loaded will be compared with this "
                   "file\n";
    } catch (const ElfError& error) {
        return std::string(error.what()) + "\n";
    }
    (void)try_file(path);
    return "the program is " + path.string() + "\n";
}

std::string LoadedProgram::load(const fs::path& file)
{
    try {
        const ElfImage image = load_elf(file);
        riscv::Core& core = machine_.system().core();
        for (const ElfSegment& segment : image.segments)
            if (!put(core, segment))
                return file.string() + ": the system has no memory for its segment at " +
                       format("0x%08x", segment.address);
        core.hart().set_pc(image.entry);
    } catch (const ElfError& error) {
        return error.what();
    }
    written_.clear();
    (void)try_file(file);
    return {};
}

} // namespace levee::debug
