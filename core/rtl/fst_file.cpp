// SPDX-License-Identifier: Apache-2.0
#include "core/rtl/fst_file.hpp"

#include <algorithm>
#include <cstdio>
#include <gtkwave/fstapi.h>
#include <memory>
#include <stdexcept>
#include <utility>

namespace levee {

namespace {

struct CloseReader {
    void operator()(void* reader) const { fstReaderClose(reader); }
};
using Reader = std::unique_ptr<void, CloseReader>;

Reader open_reader(const std::filesystem::path& fst)
{
    Reader reader(fstReaderOpen(fst.c_str()));
    if (!reader)
        throw std::runtime_error(fst.string() + ": waves cannot be read");
    return reader;
}

/// Returns "0x1f" for "11111". A single bit, or text with states other than 0 and 1, does not
/// change.
std::string hexadecimal(const std::string& bits)
{
    if (bits.size() <= 1 || bits.find_first_not_of("01") != std::string::npos)
        return bits;
    std::string digits;
    for (std::size_t end = bits.size(); end > 0;) {
        const std::size_t begin = end > 4 ? end - 4 : 0;
        digits.insert(digits.begin(),
                      "0123456789abcdef"[std::stoul(bits.substr(begin, end - begin), nullptr, 2)]);
        end = begin;
    }
    return "0x" + digits;
}

/// Values of each signal over time, by handle.
using Changes = std::vector<std::vector<std::pair<std::uint64_t, std::string>>>;

void note(void* changes, std::uint64_t time, fstHandle handle, const unsigned char* value)
{
    auto& all = *static_cast<Changes*>(changes);
    if (handle < all.size())
        all[handle].emplace_back(time, reinterpret_cast<const char*>(value));
}

Changes read_changes(void* reader)
{
    Changes changes(fstReaderGetMaxHandle(reader) + 1);
    fstReaderSetFacProcessMaskAll(reader);
    fstReaderIterBlocks(reader, note, &changes, nullptr);
    return changes;
}

/// Returns the shortest name of each signal: the name in its definition; for a signal without one,
/// the name of the port nearest to the top.
std::vector<std::string> read_names(void* reader)
{
    std::vector<std::string> names(fstReaderGetMaxHandle(reader) + 1);
    std::vector<std::string> scopes;
    while (const fstHier* entry = fstReaderIterateHier(reader)) {
        if (entry->htyp == FST_HT_SCOPE)
            scopes.emplace_back(entry->u.scope.name);
        else if (entry->htyp == FST_HT_UPSCOPE)
            scopes.pop_back();
        if (entry->htyp != FST_HT_VAR)
            continue;
        std::string name;
        for (const std::string& scope : scopes)
            name += scope + ".";
        name += entry->u.var.name;
        std::string& known = names[entry->u.var.handle];
        if (known.empty() || name.size() < known.size())
            known = name;
    }
    return names;
}

/// Whether two histories differ at `end`. If so, sets the time from which they have differed.
bool differ(const Changes::value_type& first, const Changes::value_type& second, std::uint64_t end,
            FstDifference& difference)
{
    std::size_t i = 0, j = 0;
    std::string a, b;
    bool is_different = false;
    while (i < first.size() || j < second.size()) {
        const std::uint64_t next = std::min(i < first.size() ? first[i].first : UINT64_MAX,
                                            j < second.size() ? second[j].first : UINT64_MAX);
        if (next > end)
            break;
        for (; i < first.size() && first[i].first == next; ++i)
            a = first[i].second;
        for (; j < second.size() && second[j].first == next; ++j)
            b = second[j].second;
        if (a != b && !is_different)
            difference.since = next;
        is_different = a != b;
    }
    difference.first = hexadecimal(a);
    difference.second = hexadecimal(b);
    return is_different;
}

bool is_register(const std::string& signal)
{
    const std::string name = signal.substr(0, signal.find_first_of(" ["));
    return name.ends_with("_q");
}

} // namespace

void write_vcd(const std::filesystem::path& fst, const std::filesystem::path& vcd)
{
    const Reader reader = open_reader(fst);
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(vcd.c_str(), "wb"));
    if (!file)
        throw std::runtime_error(vcd.string() + ": waves cannot be written");
    fstReaderProcessHier(reader.get(), file.get());
    fstReaderSetFacProcessMaskAll(reader.get());
    fstReaderIterBlocks(reader.get(), nullptr, nullptr, file.get());
    if (std::ferror(file.get()) != 0 || std::fflush(file.get()) != 0)
        throw std::runtime_error(vcd.string() + ": waves cannot be written");
}

std::vector<FstDifference> differing_signals(const std::filesystem::path& first,
                                             const std::filesystem::path& second, std::uint64_t end)
{
    const Reader one = open_reader(first), other = open_reader(second);
    const std::vector<std::string> names = read_names(one.get());
    const Changes changes = read_changes(one.get()), others = read_changes(other.get());
    std::vector<FstDifference> all;
    for (std::size_t handle = 1; handle < std::min(changes.size(), others.size()); ++handle) {
        FstDifference difference;
        difference.signal = names[handle];
        if (differ(changes[handle], others[handle], end, difference))
            all.push_back(std::move(difference));
    }
    std::stable_partition(all.begin(), all.end(),
                          [](const FstDifference& d) { return is_register(d.signal); });
    return all;
}

void sort_by_beginning(std::vector<FstDifference>& differences)
{
    std::ranges::stable_sort(
        differences, {}, [](const FstDifference& d) { return std::pair(d.since == 0, d.since); });
}

} // namespace levee
