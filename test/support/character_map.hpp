// SPDX-License-Identifier: Apache-2.0
/// Character maps in SentencePiece's format (precompiled_charsmap).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace levee::test {

/// A double array in the layout of darts-clone. Each node has a base. A child is at the index base
/// ^ byte, and the node's value is at the base itself. No two nodes share a base.
class DoubleArray {
public:
    explicit DoubleArray(const std::map<std::string, std::uint32_t>& values)
    {
        taken_.insert(0);
        place(0, "", values);
    }

    [[nodiscard]] std::vector<std::uint32_t> units() const
    {
        std::vector<std::uint32_t> all(((taken_.empty() ? 0 : *taken_.rbegin()) | 255U) + 1);
        for (const auto& [index, unit] : units_)
            all[index] = unit;
        return all;
    }

private:
    void place(std::uint32_t index, const std::string& prefix,
               const std::map<std::string, std::uint32_t>& values)
    {
        std::set<std::uint8_t> bytes;
        std::optional<std::uint32_t> value;
        for (const auto& [key, its_value] : values)
            if (key.starts_with(prefix)) {
                if (key == prefix)
                    value = its_value;
                else
                    bytes.insert(static_cast<std::uint8_t>(key[prefix.size()]));
            }
        const std::uint32_t base = free_base(bytes);
        units_[index] |= (index ^ base) << 10 | (value ? 1U << 8 : 0U);
        if (value)
            units_[base] = *value | 1U << 31;
        for (const std::uint8_t byte : bytes)
            units_[base ^ byte] = byte;
        for (const std::uint8_t byte : bytes)
            place(base ^ byte, prefix + static_cast<char>(byte), values);
    }

    /// Returns the first base at which the indices for these bytes and for a value are free.
    std::uint32_t free_base(const std::set<std::uint8_t>& bytes)
    {
        const auto has_room = [&](std::uint32_t base) {
            bool free = !taken_.contains(base);
            for (const std::uint8_t byte : bytes)
                free &= !taken_.contains(base ^ byte);
            return free;
        };
        std::uint32_t base = 1;
        while (!has_room(base))
            ++base;
        taken_.insert(base);
        for (const std::uint8_t byte : bytes)
            taken_.insert(base ^ byte);
        return base;
    }

    std::map<std::uint32_t, std::uint32_t> units_;
    std::set<std::uint32_t> taken_; ///< indices that are in use, as units or as bases
};

/// Returns the bytes of a map from each text to another.
inline std::string character_map(const std::map<std::string, std::string>& texts)
{
    std::map<std::string, std::uint32_t> values;
    std::string behind;
    for (const auto& [key, text] : texts) {
        values[key] = static_cast<std::uint32_t>(behind.size());
        behind += text + '\0';
    }
    const std::vector<std::uint32_t> units = DoubleArray(values).units();
    std::string bytes;
    const auto append = [&](std::uint32_t word) {
        for (unsigned i = 0; i < 4; ++i)
            bytes += static_cast<char>(word >> 8 * i);
    };
    append(static_cast<std::uint32_t>(4 * units.size()));
    for (const std::uint32_t unit : units)
        append(unit);
    return bytes + behind;
}

} // namespace levee::test
