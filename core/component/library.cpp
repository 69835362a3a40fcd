// SPDX-License-Identifier: Apache-2.0
#include "core/component/library.hpp"

#include "core/component/plugin.hpp"
#include "core/config/regular_file.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace levee {

namespace {

namespace fs = std::filesystem;
using config::Error;

/// An ELF file for this machine. Only section names and contents are read.
class LibraryFile {
public:
    explicit LibraryFile(const fs::path& path)
        : stream_(config::regular_stream(path)), bytes_(fs::file_size(path))
    {
    }

    /// Returns the reason why the file is not a shared library for this machine; empty if it is
    /// one.
    [[nodiscard]] std::string fault()
    {
        unsigned char ident[EI_NIDENT] = {};
        if (!read(0, ident, sizeof ident) || std::memcmp(ident, ELFMAG, SELFMAG) != 0)
            return "is not a shared library: it does not begin with an ELF header";
        if (ident[EI_CLASS] != ELFCLASS64 || !read(0, &head_, sizeof head_) ||
            head_.e_machine != machine)
            return "is an ELF file of another machine; expected a shared library for this one";
        if (head_.e_type != ET_DYN)
            return "is an ELF file but not a shared library";
        return "";
    }

    /// Whether the file is shorter than its ELF header states.
    [[nodiscard]] bool is_cut() const
    {
        const std::uint64_t headers = std::uint64_t{head_.e_shnum} * head_.e_shentsize;
        return headers > bytes_ || head_.e_shoff > bytes_ - headers;
    }

    /// Returns the text of the section with this name, or nothing.
    [[nodiscard]] std::optional<std::string> section(const std::string& name)
    {
        const auto names = header(head_.e_shstrndx);
        for (std::size_t i = 0; names && i < head_.e_shnum; ++i) {
            const auto entry = header(i);
            std::string found(name.size() + 1, '\1');
            if (entry && entry->sh_name < names->sh_size &&
                read(names->sh_offset + entry->sh_name, found.data(), found.size()) &&
                found == std::string(name.c_str(), name.size() + 1))
                return content(*entry).c_str();
        }
        return std::nullopt;
    }

    /// Returns the names that the library exports, in order, and whether each is weak. Names that
    /// several sources may define, such as inline functions and vtables, are weak.
    [[nodiscard]] std::map<std::string, bool> defined()
    {
        std::map<std::string, bool> all;
        for (std::size_t i = 0; i < head_.e_shnum; ++i) {
            const auto table = header(i);
            if (!table || table->sh_type != SHT_DYNSYM)
                continue;
            const auto names = header(table->sh_link);
            const std::string symbols = content(*table), text = names ? content(*names) : "";
            for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size();
                 at += sizeof(Elf64_Sym)) {
                Elf64_Sym symbol;
                std::memcpy(&symbol, symbols.data() + at, sizeof symbol);
                if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < text.size())
                    all[text.c_str() + symbol.st_name] = ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
            }
        }
        return all;
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

    /// Returns the content of a section; empty if the file is too short.
    std::string content(const Elf64_Shdr& section)
    {
        std::string bytes(section.sh_size <= bytes_ ? section.sh_size : 0, '\0');
        return read(section.sh_offset, bytes.data(), bytes.size()) ? bytes : "";
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

/// Returns the value of `what` in lines of the form "what=value".
std::string value_of(const std::string& identity, const std::string& what)
{
    std::istringstream lines(identity);
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with(what + "="))
            return line.substr(what.size() + 1);
    return "unknown";
}

/// Describes the first property in which a plug-in and this program differ; empty if there is none.
std::string difference(const std::string& identity)
{
    std::istringstream lines(LEVEE_PLUGIN_IDENTITY);
    for (std::string line; std::getline(lines, line);) {
        const std::string what = line.substr(0, line.find('='));
        const std::string found = value_of(identity, what), expected = value_of(line, what);
        if (found != expected)
            return "was built for a different Levee, SystemC or compiler: its " + what + " is " +
                   config::in_quotes(found) + "; expected '" + expected +
                   "' (build it against the files installed with this program)";
    }
    return "";
}

/// Returns the C++ name of a symbol, or the symbol itself if it has none.
std::string demangled(const std::string& symbol)
{
    int status = 0;
    char* const name = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string text = name != nullptr ? name : symbol;
    std::free(name);
    return text;
}

/// Returns the error message of dlopen(), with demangled symbols.
std::string loader_message()
{
    std::string text = dlerror();
    const std::size_t begin = text.find("_Z");
    if (begin == std::string::npos)
        return text;
    const std::size_t end = text.find_first_of(" )", begin);
    const std::string symbol =
        text.substr(begin, end == std::string::npos ? std::string::npos : end - begin);
    return text.replace(begin, symbol.size(), demangled(symbol));
}

/// Returns the name of a module that both a library and this program define; empty if there is
/// none. The library would wrongly use the program's module. A definition is recognised by a thunk
/// of the module's destructor, which exists because a module has several base classes. Plug-ins may
/// merely refer to a module of the program, which needs no thunk.
std::string module_of_both(const std::map<std::string, bool>& defined)
{
    const std::string scope = "_N5levee", destructor = "D0Ev";
    for (const auto& [thunk, is_weak] : defined) {
        const std::size_t at = thunk.find(scope);
        if (!thunk.starts_with("_ZTh") || !thunk.ends_with(destructor) || at == std::string::npos)
            continue;
        const std::string name = thunk.substr(at + 1, thunk.size() - at - 1 - destructor.size());
        const auto constructor = defined.lower_bound("_Z" + name + "C");
        if (constructor != defined.end() && constructor->first.starts_with("_Z" + name + "C") &&
            !constructor->second && dlsym(RTLD_DEFAULT, ("_ZTV" + name + "E").c_str()) != nullptr)
            return demangled("_Z" + name + "E");
    }
    return "";
}

const link_map* object_of(void* handle)
{
    link_map* object = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, &object) != 0)
        throw std::runtime_error(dlerror());
    return object;
}

/// Returns the names of the libraries that an object depends on.
std::vector<std::string> needed_by(const link_map& object)
{
    const char* names = nullptr; // The loader has replaced the offset by an address.
    for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_STRTAB)
            names = std::bit_cast<const char*>(entry->d_un.d_ptr);
    std::vector<std::string> needed;
    for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_NEEDED)
            needed.emplace_back(names + entry->d_un.d_val);
    return needed;
}

/// Adds an object and its dependencies, without duplicates.
void add_with_needed(const link_map* object, std::vector<const link_map*>& objects)
{
    if (std::find(objects.begin(), objects.end(), object) != objects.end())
        return;
    objects.push_back(object);
    for (const std::string& name : needed_by(*object))
        if (void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
            add_with_needed(object_of(handle), objects);
            dlclose(handle); // The library stays loaded, because others depend on it.
        }
}

} // namespace

LoadedLibrary load_library(const config::ComponentLibrary& library)
{
    const std::string name = config::in_quotes(library.file.string()) + " ";
    LibraryFile file(library.file);
    if (const std::string fault = file.fault(); !fault.empty())
        throw Error(library.place, name + fault);
    if (file.is_cut())
        throw Error(library.place, name + "is a truncated shared library: its section headers lie "
                                          "beyond the file's end; build or copy it again");
    const std::optional<std::string> identity = file.section(LEVEE_PLUGIN_SECTION);
    if (!identity)
        throw Error(library.place, name + "is a shared library but not a plug-in: expected "
                                          "'LEVEE_PLUGIN;' in one of its sources");
    if (const std::string fault = difference(*identity); !fault.empty())
        throw Error(library.place, name + fault);
    if (const std::string both = module_of_both(file.defined()); !both.empty())
        throw Error(library.place, name + "has a class " + both +
                                       ", which this program also defines, so that the program's "
                                       "code would run; expected a separate namespace");
    void* const handle = dlopen(fs::canonical(library.file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr)
        throw Error(library.place, name + "cannot be loaded: " + loader_message());
    std::vector<const link_map*> objects;
    add_with_needed(object_of(dlopen(nullptr, RTLD_LAZY)), objects);
    const std::size_t own = objects.size();
    const link_map* const object = object_of(handle);
    add_with_needed(object, objects);
    LoadedLibrary loaded{object, {}};
    for (std::size_t i = own; i < objects.size(); ++i)
        loaded.files.emplace_back(objects[i]->l_name);
    return loaded;
}

const void* object_at(const void* address)
{
    Dl_info place{};
    link_map* object = nullptr;
    return dladdr1(address, &place, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) != 0
               ? object
               : nullptr;
}

std::string interface_digest()
{
    return LEVEE_INTERFACE_DIGEST;
}

} // namespace levee
