// SPDX-License-Identifier: Apache-2.0
#include "ip/edram/geometry.hpp"

#include <algorithm>
#include <numeric>

namespace levee::edram {

namespace {

/// Adds the bank accesses of `runs` equal runs of `bytes` bytes. Each run starts at address `start`
/// within the side.
void add_run(BankLoads& loads, std::uint64_t line_units, std::uint64_t start, std::uint64_t bytes,
             std::uint64_t runs)
{
    std::uint64_t unit = start / unit_bytes;
    std::uint64_t units = (start + bytes - 1) / unit_bytes - unit + 1;
    const std::uint64_t round = loads.size() * line_units;
    if (const std::uint64_t rounds = units / round; rounds > 0)
        for (std::uint64_t& load : loads)
            load += rounds * line_units * runs;
    for (units %= round; units > 0;) {
        const std::uint64_t here = std::min(units, line_units - unit % line_units);
        loads[unit / line_units % loads.size()] += here * runs;
        unit += here;
        units -= here;
    }
}

/// Whether all runs begin at the same address modulo `period`.
bool all_start_alike(const AccessPattern& pattern, std::uint64_t period)
{
    for (std::size_t level = 0; level < 3; ++level)
        if (pattern.count[level] > 1 &&
            pattern.stride[level] % static_cast<std::int64_t>(period) != 0)
            return false;
    return true;
}

/// Returns, for each address modulo `period`, the number of runs of `pattern` that begin there.
std::vector<std::uint64_t> starts_modulo(const AccessPattern& pattern, std::uint64_t period)
{
    std::vector<std::uint64_t> starts(period, 0);
    starts[pattern.address % period] = 1;
    for (std::size_t level = 0; level < 3; ++level) {
        if (pattern.count[level] == 1)
            continue;
        const auto whole = static_cast<std::int64_t>(period);
        const auto step =
            static_cast<std::uint64_t>((pattern.stride[level] % whole + whole) % whole);
        // After `orbit` steps, the start addresses modulo the period repeat.
        const std::uint64_t orbit = period / std::gcd(step, period);
        const std::uint64_t rounds = pattern.count[level] / orbit;
        const std::uint64_t rest = pattern.count[level] % orbit;
        std::vector<std::uint64_t> next(period, 0);
        for (std::uint64_t at = 0; at < period; ++at) {
            if (starts[at] == 0)
                continue;
            std::uint64_t to = at;
            for (std::uint64_t i = 0; i < std::min(orbit, pattern.count[level]); ++i) {
                next[to] += starts[at] * (rounds + (i < rest ? 1 : 0));
                to = (to + step) % period;
            }
        }
        starts = std::move(next);
    }
    return starts;
}

/// Calls visit(start, bytes) for the part of a run that lies on `side`, if there is one.
template <typename Visit>
void clip_to_side(const Geometry& geometry, unsigned side, std::uint64_t start, std::uint64_t bytes,
                  Visit visit)
{
    const std::uint64_t low = side * geometry.side_bytes();
    const std::uint64_t first = std::max(start, low);
    const std::uint64_t end = std::min(start + bytes, low + geometry.side_bytes());
    if (first < end)
        visit(first, end - first);
}

/// Returns the side that contains the whole pattern, or the number of sides if the pattern is on
/// several sides.
unsigned only_side(const Geometry& geometry, const AccessPattern& pattern)
{
    const auto extent = pattern.extent();
    const unsigned first = geometry.side_of(extent->first);
    return first == geometry.side_of(extent->last) ? first : geometry.sides();
}

} // namespace

std::string Geometry::fault() const
{
    if (banks == 0 || banks % (2 * sides()) != 0)
        return std::to_string(banks) + " banks; expected a multiple of " +
               std::to_string(2 * sides()) + " (MSB and LSB banks" +
               (layout == Layout::Kv ? " of keys and of values)" : ")");
    if (row_bytes == 0 || row_bytes % port_bytes != 0)
        return "rows of " + std::to_string(row_bytes) + " bytes; expected a multiple of " +
               std::to_string(port_bytes) + ", the width of a bank's port";
    const std::uint64_t rows = sides() * bank_pairs() * line_bytes();
    if (size_bytes == 0 || size_bytes % rows != 0)
        return std::to_string(size_bytes) + " bytes; expected a multiple of " +
               std::to_string(rows) + ", one row in each of the " + std::to_string(banks) +
               " banks";
    return {};
}

Geometry::Location Geometry::locate(std::uint64_t address) const
{
    const unsigned side = side_of(address);
    const std::uint64_t offset = address - side * side_bytes();
    const std::uint64_t line = offset / line_bytes();
    const unsigned pairs = bank_pairs();
    const unsigned lsb = address % 2 == 0 ? 1 : 0; // Elements are little endian.
    return {(2 * side + lsb) * pairs + static_cast<unsigned>(line % pairs), line / pairs,
            static_cast<unsigned>(offset % line_bytes() / 2)};
}

BankLoads bank_loads(const Geometry& geometry, const AccessPattern& pattern, unsigned side)
{
    BankLoads loads(geometry.bank_pairs(), 0);
    const std::uint64_t units = geometry.line_units();
    const unsigned only = only_side(geometry, pattern);
    if (only < geometry.sides()) {
        if (only != side)
            return loads;
        // Lines go to the banks in turn, and a side is a whole number of such rounds. The bank
        // therefore depends only on the address modulo the bytes of one round.
        const std::uint64_t period = loads.size() * geometry.line_bytes();
        if (all_start_alike(pattern, period)) {
            add_run(loads, units, pattern.address % period, pattern.run_bytes, pattern.runs());
            return loads;
        }
        const std::vector<std::uint64_t> starts = starts_modulo(pattern, period);
        for (std::uint64_t at = 0; at < period; ++at)
            if (starts[at] > 0)
                add_run(loads, units, at, pattern.run_bytes, starts[at]);
        return loads;
    }
    pattern.for_each_run([&](std::uint64_t start) {
        clip_to_side(geometry, side, start, pattern.run_bytes,
                     [&](std::uint64_t first, std::uint64_t bytes) {
                         add_run(loads, units, first, bytes, 1);
                     });
    });
    return loads;
}

std::uint64_t bytes_on_side(const Geometry& geometry, const AccessPattern& pattern, unsigned side)
{
    const unsigned only = only_side(geometry, pattern);
    if (only < geometry.sides())
        return only == side ? pattern.bytes() : 0;
    std::uint64_t total = 0;
    pattern.for_each_run([&](std::uint64_t start) {
        clip_to_side(geometry, side, start, pattern.run_bytes,
                     [&](std::uint64_t, std::uint64_t bytes) { total += bytes; });
    });
    return total;
}

} // namespace levee::edram
