// SPDX-License-Identifier: Apache-2.0
#include "test/reference/retention_replay.hpp"

#include <array>
#include <sstream>
#include <stdexcept>

namespace levee::test {
namespace {

using Unit = std::array<std::uint8_t, edram::unit_bytes>;

// Writes the code `index` into a unit whose codes have `bits` bits each, lowest bits first.
void put(Unit& unit, unsigned bits, std::size_t index, std::int16_t code)
{
    for (unsigned bit = 0; bit < bits; ++bit) {
        const std::size_t at = index * bits + bit;
        const unsigned one = static_cast<unsigned>(code) >> bit & 1u;
        unit[at / 8] = static_cast<std::uint8_t>((unit[at / 8] & ~(1u << at % 8)) | one << at % 8);
    }
}

std::int16_t get(const Unit& unit, unsigned bits, std::size_t index)
{
    int code = 0;
    for (unsigned bit = 0; bit < bits; ++bit) {
        const std::size_t at = index * bits + bit;
        code |= (unit[at / 8] >> at % 8 & 1) << bit;
    }
    const int sign = 1 << (bits - 1);
    return static_cast<std::int16_t>((code ^ sign) - sign);
}

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
        entry.row.element_bits = static_cast<unsigned>(number("element_bits"));
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

// A unit may hold codes of several sequences; each sequence has its own failures.
void RetentionReplay::add(std::uint32_t pass, const edram::RowFailure& row)
{
    std::map<Key, Failure> parts;
    for (const StoredRows& rows : places_) {
        if (rows.bits != row.element_bits)
            continue;
        const std::uint64_t codes =
            std::uint64_t{rows.entries} * rows.heads * rows.rows * rows.row_elements;
        const std::size_t in_unit = 8 * edram::unit_bytes / rows.bits;
        for (std::size_t i = 0; i < in_unit; ++i) {
            // This is the position in bits.
            const std::uint64_t at = 8 * row.offset + i * rows.bits;
            if (at < 8 * rows.offset || (at - 8 * rows.offset) / rows.bits >= codes)
                continue;
            const std::uint64_t element = (at - 8 * rows.offset) / rows.bits;
            const std::uint64_t vector = element / rows.row_elements;
            const auto slice = static_cast<std::uint32_t>(vector / rows.rows);
            Failure& failure = parts[{pass, rows.layer, rows.first_entry + slice / rows.heads}];
            failure.row = row;
            failure.places.resize(in_unit);
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
        const unsigned bits = failure.row.element_bits;
        Unit unit{};
        for (std::size_t i = 0; i < failure.places.size(); ++i)
            if (const std::int16_t* stored = code(failure.places[i], cache))
                put(unit, bits, i, *stored);
        flipped_ += edram::apply(failure.row, seed_, unit.data());
        for (std::size_t i = 0; i < failure.places.size(); ++i)
            if (std::int16_t* stored = code(failure.places[i], cache))
                *stored = get(unit, bits, i);
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
