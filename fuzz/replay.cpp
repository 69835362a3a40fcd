// SPDX-License-Identifier: Apache-2.0
// Feeds files, and the files in folders in order of their names, to a harness:
//   replay_HARNESS PATH...
// If FILE.expects exists, FILE must be refused with a message that contains the text in it. If the
// text is empty, FILE must be accepted.
#include "fuzz/door.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace {

namespace fs = std::filesystem;

constexpr const char* expectation = ".expects";

std::string content_of(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    if (!stream)
        levee::fuzz::find_fault(file.string() + " cannot be read");
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> inputs_in(const fs::path& path)
{
    if (!fs::is_directory(path))
        return {path};
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path))
        if (entry.is_regular_file() && entry.path().extension() != expectation)
            files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

/// Returns whether the input is refused as its .expects file says; true if it has no such file.
bool is_as_expected(const fs::path& file, const std::string& message)
{
    const fs::path expects = file.string() + expectation;
    if (!fs::exists(expects))
        return true;
    std::string text = content_of(expects);
    while (text.ends_with('\n'))
        text.pop_back();
    if (!text.empty() ? message.find(text) != std::string::npos : message.empty())
        return true;
    std::cerr << file.string() << ":\n  expected " << (text.empty() ? "no message" : text)
              << "\n  got      " << (message.empty() ? "no message" : message) << '\n';
    return false;
}

} // namespace

int main(int argc, char* argv[])
{
    std::size_t fed = 0, refused = 0, wrong = 0;
    for (const std::string path : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
        for (const fs::path& file : inputs_in(path)) {
            const std::string message = levee::fuzz::feed(levee::fuzz::bytes_of(content_of(file)));
            ++fed;
            refused += message.empty() ? 0 : 1;
            wrong += is_as_expected(file, message) ? 0 : 1;
        }
    }
    std::cout << fed << " inputs, " << refused << " refused, " << wrong
              << " with an unexpected result\n";
    return fed == 0 || wrong != 0 ? 1 : 0;
}
