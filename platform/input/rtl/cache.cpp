// SPDX-License-Identifier: Apache-2.0
#include "platform/input/rtl/cache.hpp"

#include "platform/input/rtl/tools.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace levee::own_rtl {

namespace fs = std::filesystem;

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
    std::istringstream words(text.substr(std::min(text.size(), text.find(": ") + 1)));
    std::vector<fs::path> files;
    for (std::string word; words >> word;)
        if (word != "\\" && word != ":")
            files.emplace_back(word);
    return files;
}

void write_fingerprints(const fs::path& list, const std::vector<fs::path>& files)
{
    std::string text;
    for (const fs::path& file : files)
        text += hash_of(read_text(file)) + " " + file.string() + "\n";
    write_text(list, text);
}

bool fingerprints_hold(const fs::path& list)
{
    std::ifstream lines(list);
    if (!lines)
        return false;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.find(' ');
        if (hash_of(read_text(line.substr(space + 1))) != line.substr(0, space))
            return false;
    }
    return true;
}

} // namespace levee::own_rtl
