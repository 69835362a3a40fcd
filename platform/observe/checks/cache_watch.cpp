// SPDX-License-Identifier: Apache-2.0
#include "platform/observe/checks/cache_watch.hpp"

#include <algorithm>

namespace levee::checks {

namespace {

AccessPattern range(std::uint64_t first, std::uint64_t end)
{
    AccessPattern pattern;
    pattern.address = first;
    pattern.run_bytes = end - first;
    return pattern;
}

Intervals interval(const AccessPattern& bytes)
{
    Intervals all;
    all.add(bytes);
    return all;
}

} // namespace

CacheWatch::CacheWatch(const Context& context, Findings& findings)
    : context_(context), findings_(findings),
      line_bytes_(context.plan.config.core.dcache->line_bytes)
{
    context.system.core().on_outdated_line = [this](const Line& line, std::uint32_t address,
                                                    std::uint32_t size, riscv::OutdatedUse use) {
        on_use(line, address, size, use);
    };
}

CacheWatch::~CacheWatch()
{
    context_.system.core().on_outdated_line = nullptr;
}

void CacheWatch::passed(const MasterAccess& access, std::uint32_t address,
                        std::span<const std::uint8_t> data, bool write)
{
    context_.system.core().hart().visit_lines(address, data.size(), [&](Line& line) {
        const std::uint64_t first = std::max(line.address, address);
        const std::uint64_t end =
            std::min(std::uint64_t{line.address} + line_bytes_, address + data.size());
        const std::uint8_t* const cached = line.data + (first - line.address);
        const std::uint8_t* const moved = &data[first - address];
        if (write)
            return written(access, line, range(first, end),
                           !std::equal(moved, moved + (end - first), cached));
        for (std::uint64_t at = first; line.dirty && at < end; ++at)
            if (moved[at - first] != cached[at - first] && !is_outdated(line, at))
                return read(access, line, static_cast<std::uint32_t>(at));
    });
}

/// Returns whether memory has a newer value of this byte than the cache line has.
bool CacheWatch::is_outdated(const Line& line, std::uint64_t at) const
{
    const auto found = outdated_.find(&line);
    return line.outdated && found != outdated_.end() && found->second.bytes.meets(at, at + 1);
}

void CacheWatch::written(const MasterAccess& access, Line& line, const AccessPattern& bytes,
                         bool differs)
{
    Outdated& outdated = outdated_[&line];
    if (!line.outdated)
        outdated.bytes.clear();
    if (!differs)
        return outdated.bytes.remove(interval(bytes));
    outdated.bytes.add(bytes);
    outdated.by = access;
    context_.system.core().hart().mark_outdated(line);
}

void CacheWatch::read(const MasterAccess& access, const Line& line, std::uint32_t address)
{
    if (!reads_.insert(*access.master + access.tensor() + access.origin()).second)
        return;
    findings_.report(
        *access.master,
        (access.watch == nullptr ? std::string() : access.operation() + ", ") + "reads " +
            access.tensor() + "at " + hex(address) +
            " from memory, which has not received the core's store: " + text(line) +
            " is dirty; dcache_clean (cbo.clean) of this line is missing before the doorbell" +
            access.origin(),
        access.ps);
}

/// Called when the core uses a line. After a store, the stored bytes are newer in the line than in
/// memory.
void CacheWatch::on_use(const Line& line, std::uint32_t address, std::uint32_t size,
                        riscv::OutdatedUse use)
{
    Outdated& outdated = outdated_[&line];
    switch (use) {
    case riscv::OutdatedUse::Loaded:
        if (outdated.bytes.meets(address, std::uint64_t{address} + size))
            report_load(line, outdated, address, size);
        return;
    case riscv::OutdatedUse::WrittenBack:
        if (!outdated.bytes.parts().empty())
            report_write_back(line, outdated);
        [[fallthrough]];
    case riscv::OutdatedUse::Stored:
        outdated.bytes.remove(interval(range(address, std::uint64_t{address} + size)));
    }
}

void CacheWatch::report_load(const Line& line, const Outdated& outdated, std::uint32_t address,
                             std::uint32_t size)
{
    if (!loads_.insert(context_.system.core().hart().access_pc()).second)
        return;
    findings_.report("core",
                     "reads " + std::to_string(size) + " bytes at " + hex(address) + " from " +
                         text(line) + " which is stale: " + outdated.by.who() + " wrote there at " +
                         time_text(outdated.by.ps) +
                         ", and dcache_invalidate (cbo.inval) has not been called since; " +
                         place() + outdated.by.origin(),
                     context_.core_ps());
}

void CacheWatch::report_write_back(const Line& line, const Outdated& outdated)
{
    if (!write_backs_.insert(context_.system.core().hart().access_pc()).second)
        return;
    const Interval& lost = outdated.bytes.parts().front();
    findings_.report(
        "core",
        "writes " + text(line) + " back over bytes that " + outdated.by.who() + " wrote at " +
            time_text(outdated.by.ps) + ", " + hex(lost.begin) + " to " + hex(lost.end - 1) +
            ": dcache_invalidate (cbo.inval) is missing before the core's store to this line; " +
            place() + outdated.by.origin(),
        context_.core_ps());
}

/// Returns a text such as "the data cache's line 0x40000000 to 0x4000001f, filled at 9.5 us,".
std::string CacheWatch::text(const Line& line) const
{
    const riscv::Clock& clock = context_.system.core().clock();
    return "the data cache's line " + hex(line.address) + " to " +
           hex(std::uint64_t{line.address} + line_bytes_ - 1) + ", filled at " +
           time_text(clock.edge_ps(line.filled_at).value_or(0)) + ",";
}

std::string CacheWatch::place() const
{
    return "pc " + context_.place(context_.system.core().hart().access_pc());
}

} // namespace levee::checks
