// SPDX-License-Identifier: Apache-2.0
#include "platform/machine/component/library.hpp"

#include "platform/machine/component/plugin.hpp"

#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

namespace levee {

namespace {

namespace fs = std::filesystem;
using config::Error;

/// An ELF file of this machine's kind, read as far as its sections' names and contents.
class LibraryFile {
public:
    explicit LibraryFile(const fs::path& path)
        : stream_(path, std::ios::binary), bytes_(fs::file_size(path))
    {
    }

    /// Why it is no shared library of this machine; empty: it is one.
    [[nodiscard]] std::string fault()
    {
        unsigned char ident[EI_NIDENT] = {};
        if (!read(0, ident, sizeof ident) || std::memcmp(ident, ELFMAG, SELFMAG) != 0)
            return "is no shared library: it does not begin as an ELF file does";
        if (ident[EI_CLASS] != ELFCLASS64 || !read(0, &head_, sizeof head_) ||
            head_.e_machine != machine)
            return "is an ELF file of another machine; expected a shared library of this one";
        if (head_.e_type != ET_DYN)
            return "is an ELF file, but no shared library";
        return "";
    }

    /// Whether the file ends before what its head says of it.
    [[nodiscard]] bool is_cut() const
    {
        const std::uint64_t headers = std::uint64_t{head_.e_shnum} * head_.e_shentsize;
        return headers > bytes_ || head_.e_shoff > bytes_ - headers;
    }

    /// Contents of the section with this name, or nothing.
    [[nodiscard]] std::optional<std::string> section(const std::string& name)
    {
        const auto names = header(head_.e_shstrndx);
        for (std::size_t i = 0; names && i < head_.e_shnum; ++i) {
            const auto entry = header(i);
            std::string found(name.size() + 1, '\1');
            if (entry && entry->sh_name < names->sh_size &&
                read(names->sh_offset + entry->sh_name, found.data(), found.size()) &&
                found.c_str() == name && entry->sh_size <= bytes_) {
                std::string content(entry->sh_size, '\0');
                if (read(entry->sh_offset, content.data(), content.size()))
                    return content.c_str();
            }
        }
        return std::nullopt;
    }

private:
#if defined(__x86_64__)
    static constexpr Elf64_Half machine = EM_X86_64;
#elif defined(__aarch64__)
    static constexpr Elf64_Half machine = EM_AARCH64;
#else
#error "plug-ins need this machine's number in ELF files"
#endif

    bool read(std::uint64_t offset, void* to, std::size_t bytes)
    {
        if (offset > bytes_ || bytes > bytes_ - offset)
            return false;
        stream_.clear();
        stream_.seekg(static_cast<std::streamoff>(offset));
        return static_cast<bool>(
            stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)));
    }

    std::optional<Elf64_Shdr> header(std::size_t index)
    {
        Elf64_Shdr header{};
        if (index >= head_.e_shnum || head_.e_shentsize != sizeof header ||
            head_.e_shoff > bytes_ ||
            !read(head_.e_shoff + index * sizeof header, &header, sizeof header))
            return std::nullopt;
        return header;
    }

    std::ifstream stream_;
    std::uint64_t bytes_;
    Elf64_Ehdr head_{};
};

/// The value of `what` among lines "what=value".
std::string value_of(const std::string& identity, const std::string& what)
{
    std::istringstream lines(identity);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(what + "="))
            return line.substr(what.size() + 1);
    return "unknown";
}

/// Sentence on the first thing on which a plug-in and this program do not agree, or empty.
std::string difference(const std::string& identity)
{
    std::istringstream lines(LEVEE_PLUGIN_IDENTITY);
    for (std::string line; std::getline(lines, line);) {
        const std::string what = line.substr(0, line.find('='));
        const std::string found = value_of(identity, what), expected = value_of(line, what);
        if (found != expected)
            return "is built for another Levee: its " + what + " is " + config::in_quotes(found) +
                   "; expected '" + expected +
                   "', which it has when it is built against what this program is installed with";
    }
    return "";
}

/// What dlopen said, with the C++ names of symbols.
std::string loader_message()
{
    std::string text = dlerror();
    const std::size_t begin = text.find("_Z");
    if (begin == std::string::npos)
        return text;
    const std::size_t end = text.find_first_of(" )", begin);
    const std::string symbol =
        text.substr(begin, end == std::string::npos ? std::string::npos : end - begin);
    int status = 0;
    char* const name = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    if (name != nullptr)
        text.replace(begin, symbol.size(), name);
    std::free(name);
    return text;
}

} // namespace

void load_library(const config::ComponentLibrary& library)
{
    const std::string name = config::in_quotes(library.file.string()) + " ";
    LibraryFile file(library.file);
    if (const std::string fault = file.fault(); !fault.empty())
        throw Error(library.place, name + fault);
    if (file.is_cut())
        throw Error(library.place, name + "is a shared library that is cut: its section headers "
                                          "lie beyond the file's end; build or copy it again");
    const std::optional<std::string> identity = file.section(LEVEE_PLUGIN_SECTION);
    if (!identity)
        throw Error(library.place, name + "is a shared library, but no plug-in: expected "
                                          "'LEVEE_PLUGIN;' in one of its sources");
    if (const std::string fault = difference(*identity); !fault.empty())
        throw Error(library.place, name + fault);
    if (dlopen(fs::canonical(library.file).c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
        throw Error(library.place, name + "cannot be loaded: " + loader_message());
}

std::string interface_digest()
{
    return LEVEE_INTERFACE_DIGEST;
}

} // namespace levee
