// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/build/cache.hpp"

#include "core/config/error.hpp"
#include "core/rtl/build/tools.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace levee::own_rtl {

namespace {

namespace fs = std::filesystem;

constexpr char end_of_entry = '\0'; // The only character that cannot occur in a path.
constexpr std::string_view changed = "-";

/// Returns the fingerprint of a file's bytes; empty if the file cannot be read.
std::optional<std::string> fingerprint_of(const fs::path& file)
{
    const std::optional<std::string> bytes = bytes_of(file);
    return bytes ? std::optional(hash_of(*bytes)) : std::nullopt;
}

bool was_written_since(const fs::path& file, fs::file_time_type begun)
{
    std::error_code failed;
    const fs::file_time_type written = fs::last_write_time(file, failed);
    return failed || (written > begun && written <= fs::file_time_type::clock::now());
}

/// Splits the names in a make rule. A blank ends a name unless a backslash precedes it.
class RuleWords {
public:
    explicit RuleWords(std::string_view text) : text_(text) {}

    std::vector<fs::path> all()
    {
        for (; at_ < text_.size(); ++at_)
            add_letter();
        end_word();
        return std::move(words_);
    }

private:
    [[nodiscard]] static bool is_blank(char letter)
    {
        return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r';
    }
    /// Adds a character of a name. Compilers write `\ ` for a blank, `\#`, `\:` and `\\` before a
    /// blank, and `$$`.
    void add_letter()
    {
        const char letter = text_[at_];
        const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : '\n';
        if (is_blank(letter)) {
            end_word();
        } else if (letter == '\\' && next == '\n') {
            ++at_;
            end_word();
        } else if ((letter == '\\' && is_escaped(next)) || (letter == '$' && next == '$')) {
            word_ += next;
            ++at_;
        } else {
            word_ += letter;
        }
    }
    [[nodiscard]] bool is_escaped(char next) const
    {
        if (next == ' ' || next == '\t' || next == '#' || next == ':')
            return true;
        // Backslashes are doubled only directly before a blank or #.
        const std::size_t end = text_.find_first_not_of('\\', at_);
        return next == '\\' && end != std::string_view::npos &&
               (text_[end] == ' ' || text_[end] == '\t' || text_[end] == '#');
    }
    void end_word()
    {
        if (!word_.empty())
            words_.emplace_back(word_);
        word_.clear();
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string word_;
    std::vector<fs::path> words_;
};

/// Whether a line "S size inode ... NAME" names a source that was read. Verilator also lists names
/// that it tried without success; their inode is 0. Some of these names are parts of other names.
bool is_source_read(const std::string& line)
{
    std::istringstream fields(line);
    std::string kind;
    std::uint64_t size = 0, inode = 0;
    return fields >> kind >> size >> inode && kind == "S" && inode != 0;
}

std::vector<fs::path> or_refuse(std::vector<fs::path> files, const fs::path& list)
{
    if (files.empty())
        throw config::Error(list.string() +
                            ": does not name any file that the design was built from");
    return files;
}

} // namespace

std::string hash_of(const std::string& bytes)
{
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(XXH3_64bits(bytes.data(), bytes.size())));
    return text;
}

std::vector<fs::path> prerequisites(const fs::path& rule)
{
    const std::string text = read_text(rule);
    const std::size_t colon = text.find(": "); // Colons in the target's name precede no blank.
    if (colon == std::string::npos)
        return or_refuse({}, rule);
    return or_refuse(RuleWords(std::string_view(text).substr(colon + 1)).all(), rule);
}

std::vector<fs::path> verilated_sources(const fs::path& list)
{
    std::vector<fs::path> files;
    std::istringstream lines(read_text(list));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t quote = line.find('"');
        if (is_source_read(line) && quote + 1 < line.size() && line.back() == '"')
            files.emplace_back(line.substr(quote + 1, line.size() - quote - 2));
    }
    return or_refuse(std::move(files), list);
}

void write_fingerprints(const fs::path& list, const std::vector<fs::path>& files,
                        fs::file_time_type begun)
{
    std::string text;
    for (const fs::path& file : files) {
        const auto fingerprint =
            was_written_since(file, begun) ? std::nullopt : fingerprint_of(file);
        text += fingerprint.value_or(std::string(changed)) + " " + file.string() + end_of_entry;
    }
    write_text(list, text);
}

bool fingerprints_hold(const fs::path& list)
{
    const std::string text = read_text(list);
    if (!text.ends_with(end_of_entry))
        return false;
    std::istringstream entries(text);
    for (std::string entry; std::getline(entries, entry, end_of_entry);) {
        const std::size_t space = entry.find(' ');
        if (space == std::string::npos ||
            fingerprint_of(entry.substr(space + 1)) != entry.substr(0, space))
            return false;
    }
    return true;
}

} // namespace levee::own_rtl
