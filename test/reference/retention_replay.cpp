// SPDX-License-Identifier: Apache-2.0
#include "test/reference/retention_replay.hpp"

#include <array>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace levee::test {
namespace {

constexpr std::size_t unit_elements = edram::unit_bytes / sizeof(std::int16_t);

std::map<std::string, std::string> fields(const std::string& header, const std::string& line)
{
    std::map<std::string, std::string> result;
    std::istringstream names(header), values(line);
    std::string name, value;
    while (std::getline(names, name, ',')) {
        if (!std::getline(values, value, ','))
            throw std::runtime_error("retention log: no " + name + " in: " + line);
        result[name] = value;
    }
    return result;
}

} // namespace

std::vector<LoggedFailure> parse_retention_log(const std::string& csv)
{
    std::istringstream lines(csv);
    std::string header, line;
    std::getline(lines, header);
    std::vector<LoggedFailure> log;
    while (std::getline(lines, line)) {
        const auto of = fields(header, line);
        const auto number = [&](const char* name) { return std::stoull(of.at(name)); };
        LoggedFailure entry;
        entry.pass = static_cast<std::uint32_t>(number("pass"));
        entry.memory = of.at("memory");
        entry.row.offset = number("offset");
        entry.row.half = of.at("half") == "msb" ? edram::Half::Msb : edram::Half::Lsb;
        entry.row.age_before = number("before_ps");
        entry.row.age_after = number("after_ps");
        entry.row.datum = number("written_ps");
        entry.row.before = number("before");
        entry.row.after = number("after");
        log.push_back(entry);
    }
    return log;
}

RetentionReplay::RetentionReplay(const std::vector<LoggedFailure>& log, const std::string& memory,
                                 std::uint32_t seed, std::vector<StoredRows> places)
    : seed_{seed, edram::stream_of(memory)}, places_(std::move(places))
{
    for (const LoggedFailure& entry : log)
        if (entry.memory == memory)
            add(entry.pass, entry.row);
}

// A unit may hold codes of several entries: each has its own.
void RetentionReplay::add(std::uint32_t pass, const edram::RowFailure& row)
{
    std::map<Key, Failure> parts;
    for (const StoredRows& rows : places_) {
        const std::uint64_t bytes =
            std::uint64_t{rows.entries} * rows.heads * rows.rows * rows.row_elements * 2;
        if (row.offset + edram::unit_bytes <= rows.offset || row.offset >= rows.offset + bytes)
            continue;
        for (std::uint32_t i = 0; i < unit_elements; ++i) {
            const std::uint64_t at = row.offset + 2 * i;
            if (at < rows.offset || at >= rows.offset + bytes)
                continue;
            const std::uint64_t element = (at - rows.offset) / 2;
            const std::uint64_t vector = element / rows.row_elements;
            const auto slice = static_cast<std::uint32_t>(vector / rows.rows);
            Failure& failure = parts[{pass, rows.layer, rows.first_entry + slice / rows.heads}];
            failure.row = row;
            failure.places[i] = {&rows, rows.first_head + slice % rows.heads,
                                 static_cast<std::uint32_t>(vector % rows.rows),
                                 static_cast<std::uint32_t>(element % rows.row_elements)};
        }
    }
    for (auto& [key, failure] : parts)
        failures_[key].push_back(failure);
    ++size_;
}

std::int16_t* RetentionReplay::code(const Place& place, LayerCache& cache)
{
    if (place.rows == nullptr)
        return nullptr;
    std::vector<std::int16_t>* codes = nullptr;
    std::size_t index = place.element;
    if (place.rows->what == Stored::Inputs) {
        codes = &cache.inputs.at(place.row).codes;
    } else {
        auto& slices = place.rows->what == Stored::Keys ? cache.keys : cache.values;
        codes = &slices.at(place.head).codes;
        index += std::size_t{place.row} * place.rows->row_elements;
    }
    return index < codes->size() ? codes->data() + index : nullptr;
}

void RetentionReplay::apply(std::uint32_t pass, std::uint32_t layer, std::uint32_t entry,
                            LayerCache& cache)
{
    const auto found = failures_.find({pass, layer, entry});
    if (found == failures_.end())
        return;
    for (const Failure& failure : found->second) {
        std::array<std::int16_t, unit_elements> codes{};
        for (std::size_t i = 0; i < unit_elements; ++i)
            if (const std::int16_t* stored = code(failure.places[i], cache))
                codes[i] = *stored;
        std::array<std::uint8_t, edram::unit_bytes> unit;
        std::memcpy(unit.data(), codes.data(), unit.size());
        flipped_ += edram::apply(failure.row, seed_, unit.data());
        std::memcpy(codes.data(), unit.data(), unit.size());
        for (std::size_t i = 0; i < unit_elements; ++i)
            if (std::int16_t* stored = code(failure.places[i], cache))
                *stored = codes[i];
        ++applied_;
        std::array<bool, 3> kinds{};
        for (const Place& place : failure.places)
            if (place.rows != nullptr)
                kinds[static_cast<std::size_t>(place.rows->what)] = true;
        for (std::size_t kind = 0; kind < kinds.size(); ++kind)
            applied_to_[kind] += kinds[kind];
    }
}

} // namespace levee::test
