// SPDX-License-Identifier: Apache-2.0
#include "fuzz/door.hpp"

#include <fcntl.h>
#include <unistd.h>

/// Some harnesses link the SystemC library, which needs this function.
extern "C" int sc_main(int argc, char** argv);
int sc_main(int /*argc*/, char** /*argv*/)
{
    return 0;
}

namespace levee::fuzz {

namespace fs = std::filesystem;

Folder::Folder()
{
    std::string name = (fs::temp_directory_path() / "levee-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        find_fault(name + " cannot be made");
    path_ = name;
}

Folder::~Folder()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

fs::path Folder::write(const std::string& name, Bytes content) const
{
    const fs::path file = path_ / name;
    constexpr mode_t owners = 0600;
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, owners);
    if (descriptor < 0 ||
        ::write(descriptor, content.data(), content.size()) != static_cast<ssize_t>(content.size()))
        find_fault(file.string() + " cannot be written");
    ::close(descriptor);
    return file;
}

[[gnu::weak]] std::vector<std::uint8_t> opened(Bytes input)
{
    return {input.begin(), input.end()};
}

[[gnu::weak]] std::vector<std::uint8_t> closed(Bytes part)
{
    return {part.begin(), part.end()};
}

} // namespace levee::fuzz
