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

RetentionReplay::RetentionReplay(std::vector<LoggedFailure> log, const std::string& memory,
                                 std::uint32_t seed, std::vector<StoredRows> places)
    : m_seed{seed, edram::stream_of(memory)}, m_places(std::move(places))
{
    for (const LoggedFailure& entry : log)
        if (entry.memory == memory)
            m_log.emplace(entry.pass, entry.row);
    m_size = m_log.size();
}

RetentionReplay::Place RetentionReplay::find(std::uint64_t offset) const
{
    for (const StoredRows& rows : m_places) {
        const std::uint64_t element = (offset - rows.offset) / sizeof(std::int16_t);
        const std::uint64_t row = element / rows.row_elements;
        if (offset < rows.offset || row >= std::uint64_t{rows.entries} * rows.heads * rows.rows)
            continue;
        const auto slice = static_cast<std::uint32_t>(row / rows.rows);
        return {&rows, rows.first_entry + slice / rows.heads, rows.first_head + slice % rows.heads,
                static_cast<std::uint32_t>(row % rows.rows),
                static_cast<std::uint32_t>(element % rows.row_elements)};
    }
    return {};
}

std::int16_t* RetentionReplay::code(const Place& place, LayerCache& cache) const
{
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
    const auto [first, last] = m_log.equal_range(pass);
    for (auto failure = first; failure != last; ++failure) {
        std::array<std::int16_t*, unit_elements> where{};
        std::array<std::int16_t, unit_elements> codes{};
        bool any = false;
        for (std::size_t i = 0; i < unit_elements; ++i) {
            const Place place = find(failure->second.offset + i * sizeof(std::int16_t));
            if (place.rows == nullptr || place.rows->layer != layer || place.entry != entry)
                continue;
            where[i] = code(place, cache);
            any |= where[i] != nullptr;
        }
        if (!any)
            continue;
        for (std::size_t i = 0; i < unit_elements; ++i)
            codes[i] = where[i] != nullptr ? *where[i] : std::int16_t{0};
        std::array<std::uint8_t, edram::unit_bytes> unit;
        std::memcpy(unit.data(), codes.data(), unit.size());
        m_flipped += edram::apply(failure->second, m_seed, unit.data());
        std::memcpy(codes.data(), unit.data(), unit.size());
        for (std::size_t i = 0; i < unit_elements; ++i)
            if (where[i] != nullptr)
                *where[i] = codes[i];
        ++m_applied;
    }
}

} // namespace levee::test
