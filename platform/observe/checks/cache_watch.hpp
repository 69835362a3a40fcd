// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/observe/checks/intervals.hpp"
#include "platform/observe/checks/master_log.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>

namespace levee::checks {

/// Reports missing cache maintenance where firmware must keep the core's data cache coherent. There
/// are three errors:
/// - the core loads bytes that another master has written since the line was filled;
/// - another master reads bytes that exist only in a dirty line;
/// - a write-back overwrites another master's data.
/// If the bytes in the line and in memory are equal, nothing is reported.
class CacheWatch {
public:
    /// Both arguments must outlive the simulation.
    CacheWatch(const Context& context, Findings& findings);
    ~CacheWatch();
    CacheWatch(const CacheWatch&) = delete;
    CacheWatch& operator=(const CacheWatch&) = delete;

    /// `access` has moved `data` from or to memory. `address` is the core's address.
    void passed(const MasterAccess& access, std::uint32_t address,
                std::span<const std::uint8_t> data, bool write);

private:
    using Line = riscv::Cache::Line;
    /// Bytes of a line whose values in memory are newer.
    struct Outdated {
        Intervals bytes;
        MasterAccess by; ///< the last master that has written there
    };

    void written(const MasterAccess& access, Line& line, const AccessPattern& bytes, bool differs);
    void read(const MasterAccess& access, const Line& line, std::uint32_t address);
    [[nodiscard]] bool is_outdated(const Line& line, std::uint64_t at) const;
    void on_use(const Line& line, std::uint32_t address, std::uint32_t size,
                riscv::OutdatedUse use);
    void report_load(const Line& line, const Outdated& outdated, std::uint32_t address,
                     std::uint32_t size);
    void report_write_back(const Line& line, const Outdated& outdated);
    [[nodiscard]] std::string text(const Line& line) const;
    [[nodiscard]] std::string place() const;

    const Context& context_;
    Findings& findings_;
    const std::uint32_t line_bytes_;
    std::map<const Line*, Outdated> outdated_;
    std::set<std::uint32_t> loads_, write_backs_;
    std::set<std::string> reads_;
};

} // namespace levee::checks
