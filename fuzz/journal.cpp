// SPDX-License-Identifier: Apache-2.0
// Journals of sweeps and explorations, and the results in their records.
#include "platform/studies/sweep/journal.hpp"

#include "fuzz/door.hpp"
#include "platform/studies/sweep/content_hash.hpp"
#include "platform/studies/sweep/outcome.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
namespace levee::fuzz {

namespace {

constexpr std::size_t head_bytes = 17; // bytes of a record's checksum and the blank after it

/// Calls `use` with each line, without its line end, and with a flag that says whether it had one.
template <typename Use> void each_line(Bytes text, const Use& use)
{
    while (!text.empty()) {
        const auto end = std::ranges::find(text, std::uint8_t{'\n'});
        const auto length = static_cast<std::size_t>(end - text.begin());
        use(text.first(length), end != text.end());
        text = text.subspan(std::min(length + 1, text.size()));
    }
}

std::vector<sweep::Column> some_columns()
{
    std::vector<sweep::Column> columns(3);
    columns[0].metric = "time.total_s";
    columns[1].metric = "energy.total_j";
    columns[1].over = "tokens";
    columns[2].metric = "bound_by";
    return columns;
}

} // namespace

/// Returns the records without their checksums.
std::vector<std::uint8_t> opened(Bytes input)
{
    std::vector<std::uint8_t> part;
    each_line(input, [&](Bytes line, bool ends) {
        const Bytes record = line.subspan(std::min(head_bytes, line.size()));
        part.insert(part.end(), record.begin(), record.end());
        if (ends)
            part.push_back('\n');
    });
    return part;
}

std::vector<std::uint8_t> closed(Bytes part)
{
    std::vector<std::uint8_t> input;
    each_line(part, [&](Bytes line, bool ends) {
        const std::string text = text_of(line);
        const std::string whole =
            sweep::hex(sweep::checksum(text)) + " " + text + (ends ? "\n" : "");
        input.insert(input.end(), whole.begin(), whole.end());
    });
    return input;
}

std::string feed(Bytes input)
{
    static const Folder folder;
    static const std::vector<sweep::Column> columns = some_columns();
    const std::filesystem::path file = folder.write("runs.journal", input);
    std::size_t foreign = 0, damaged = 0;
    const std::string message = refusal<std::runtime_error>("runs.journal", [&] {
        damaged = sweep::read_journal(file, [&](const nlohmann::json& record) {
            if (sweep::is_record(record))
                (void)sweep::outcome_of(record, columns);
            else
                ++foreign;
        });
    });
    damaged += foreign;
    return damaged == 0 ? message : message + std::to_string(damaged) + " damaged lines";
}

} // namespace levee::fuzz
