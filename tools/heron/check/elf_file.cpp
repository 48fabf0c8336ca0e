#include "elf_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string_view>

#include "elf_texts.hpp"

namespace heron::tools {
namespace {

struct close_elf {
    void operator()(Elf* elf) const { elf_end(elf); }
};

class descriptor {
  public:
    explicit descriptor(const std::string& path) : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~descriptor() {
        if (number_ >= 0) close(number_);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    int number() const { return number_; }

  private:
    int number_;
};

struct section {
    Elf_Scn* handle;
    GElf_Shdr header;
    std::string name;
};

// An open file and where its tables are.
class elf_reader {
  public:
    explicit elf_reader(const std::string& path) : path_(path), file_(path) {
        if (elf_version(EV_CURRENT) == EV_NONE) fail();
        if (file_.number() < 0) throw std::runtime_error(fmt::format("cannot read {}", path));
        elf_.reset(elf_begin(file_.number(), ELF_C_READ_MMAP, nullptr));
        if (!elf_ || elf_kind(elf_.get()) != ELF_K_ELF || !gelf_getehdr(elf_.get(), &header_)) fail();
        read_sections();
    }

    elf_file read(elf_part part) {
        elf_file result;
        result.path = path_;
        result.elf_class = header_.e_ident[EI_CLASS];
        result.machine = header_.e_machine;
        result.machine_name = name_of_machine(header_.e_machine);
        for (const section& s : sections_) {
            if (s.header.sh_type == SHT_DYNAMIC) read_dynamic(s, result);
            if (s.header.sh_type == SHT_GNU_verneed) read_needed_versions(s);
            if (s.header.sh_type == SHT_GNU_verdef) read_defined_versions(s);
            if (s.name == ".interp") result.interpreter = bytes_of(s).data();
            if (is_device_code(s)) result.has_device_code = true;
        }
        for (const section& s : sections_) {
            if (s.header.sh_type == SHT_DYNSYM) read_dynamic_symbols(s, result);
            if (s.header.sh_type == SHT_SYMTAB && part == elf_part::all) read_static_symbols(s, result);
        }
        if (part == elf_part::all) read_texts(result);
        return result;
    }

  private:
    [[noreturn]] void fail() const { throw std::runtime_error(fmt::format("{}: {}", path_, elf_errmsg(-1))); }

    static std::string name_of_machine(int machine) {
        if (machine == EM_X86_64) return "x86-64";
        return machine == EM_AARCH64 ? "aarch64" : fmt::format("machine {}", machine);
    }

    static bool is_device_code(const section& s) {
        return (s.name == ".nv_fatbin" || s.name == "__nv_relfatbin") && s.header.sh_size > 0;
    }

    void read_sections() {
        std::size_t names = 0;
        if (elf_getshdrstrndx(elf_.get(), &names) != 0) fail();
        for (Elf_Scn* s = elf_nextscn(elf_.get(), nullptr); s; s = elf_nextscn(elf_.get(), s)) {
            section found{s, {}, {}};
            if (!gelf_getshdr(s, &found.header)) fail();
            const char* const name = elf_strptr(elf_.get(), names, found.header.sh_name);
            found.name = name ? name : "";
            sections_.push_back(found);
        }
    }

    std::string_view bytes_of(const section& s) const {
        if (s.header.sh_type == SHT_NOBITS) return {};
        const Elf_Data* const data = elf_rawdata(s.handle, nullptr);
        if (!data || !data->d_buf) return {};
        return {static_cast<const char*>(data->d_buf), data->d_size};
    }

    std::string text_at(const section& of, std::size_t offset) const {
        const char* const text = elf_strptr(elf_.get(), of.header.sh_link, offset);
        return text ? text : "";
    }

    // Sections are numbered from 1.
    std::string section_name(std::size_t number) const {
        return number > 0 && number <= sections_.size() ? sections_[number - 1].name : "";
    }

    static void add_paths(std::vector<std::string>& paths, const std::string& joined) {
        for (std::size_t start = 0; start <= joined.size();) {
            const std::size_t end = std::min(joined.find(':', start), joined.size());
            if (end > start) paths.push_back(joined.substr(start, end - start));
            start = end + 1;
        }
    }

    void read_dynamic(const section& s, elf_file& result) const {
        Elf_Data* const data = elf_getdata(s.handle, nullptr);
        GElf_Dyn entry;
        for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; ++i) {
            if (entry.d_tag == DT_NEEDED) result.needed.push_back(text_at(s, entry.d_un.d_val));
            if (entry.d_tag == DT_SONAME) result.soname = text_at(s, entry.d_un.d_val);
            if (entry.d_tag == DT_RPATH) add_paths(result.rpath, text_at(s, entry.d_un.d_val));
            if (entry.d_tag == DT_RUNPATH) add_paths(result.runpath, text_at(s, entry.d_un.d_val));
        }
    }

    void read_needed_versions(const section& s) {
        Elf_Data* const data = elf_getdata(s.handle, nullptr);
        GElf_Verneed need;
        for (int at = 0; data && gelf_getverneed(data, at, &need);) {
            GElf_Vernaux version;
            for (int a = at + static_cast<int>(need.vn_aux); gelf_getvernaux(data, a, &version);) {
                needed_versions_[version.vna_other] = {text_at(s, version.vna_name),
                                                       text_at(s, need.vn_file)};
                if (version.vna_next == 0) break;
                a += static_cast<int>(version.vna_next);
            }
            if (need.vn_next == 0) break;
            at += static_cast<int>(need.vn_next);
        }
    }

    void read_defined_versions(const section& s) {
        Elf_Data* const data = elf_getdata(s.handle, nullptr);
        GElf_Verdef definition;
        for (int at = 0; data && gelf_getverdef(data, at, &definition);) {
            GElf_Verdaux name;
            const bool is_base = definition.vd_flags & VER_FLG_BASE;
            if (!is_base && gelf_getverdaux(data, at + static_cast<int>(definition.vd_aux), &name))
                defined_versions_[definition.vd_ndx] = text_at(s, name.vda_name);
            if (definition.vd_next == 0) break;
            at += static_cast<int>(definition.vd_next);
        }
    }

    // Of each dynamic symbol the number of its version.
    std::vector<unsigned> version_numbers() const {
        std::vector<unsigned> numbers;
        for (const section& s : sections_) {
            if (s.header.sh_type != SHT_GNU_versym) continue;
            Elf_Data* const data = elf_getdata(s.handle, nullptr);
            GElf_Versym number;
            for (int i = 0; data && gelf_getversym(data, i, &number); ++i) numbers.push_back(number & 0x7fff);
        }
        return numbers;
    }

    void read_dynamic_symbols(const section& s, elf_file& result) const {
        const std::vector<unsigned> numbers = version_numbers();
        Elf_Data* const data = elf_getdata(s.handle, nullptr);
        GElf_Sym symbol;
        for (int i = 1; data && gelf_getsym(data, i, &symbol); ++i) {
            elf_symbol found{
                text_at(s, symbol.st_name), {}, {}, GELF_ST_BIND(symbol.st_info) == STB_WEAK, {}};
            const unsigned number =
                static_cast<std::size_t>(i) < numbers.size() ? numbers[static_cast<std::size_t>(i)] : 0;
            if (symbol.st_shndx != SHN_UNDEF) {
                found.section = section_name(symbol.st_shndx);
                if (const auto v = defined_versions_.find(number); v != defined_versions_.end())
                    found.version = v->second;
                result.defined.push_back(found);
                continue;
            }
            if (const auto v = needed_versions_.find(number); v != needed_versions_.end()) {
                found.version = v->second.first;
                found.library = v->second.second;
            }
            result.undefined.push_back(found);
        }
    }

    void read_static_symbols(const section& s, elf_file& result) const {
        Elf_Data* const data = elf_getdata(s.handle, nullptr);
        GElf_Sym symbol;
        for (int i = 1; data && gelf_getsym(data, i, &symbol); ++i)
            if (symbol.st_shndx != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
                result.static_functions.push_back(text_at(s, symbol.st_name));
    }

    // Names that programs look up, and mangled names in a file with device code: it registers its kernels by
    // them.
    void read_texts(elf_file& result) const {
        std::set<std::string> texts, kernels;
        for (const section& s : sections_) {
            if (is_device_code(s)) {
                for (std::string& name : ptx_entries(bytes_of(s))) kernels.insert(std::move(name));
                continue;
            }
            const bool is_data = s.header.sh_type == SHT_PROGBITS && (s.header.sh_flags & SHF_ALLOC) &&
                                 !(s.header.sh_flags & SHF_EXECINSTR);
            if (!is_data || s.name == ".interp") continue;
            for_each_text(bytes_of(s), [&](std::string_view text) {
                if (text.size() >= 6 && text.size() <= 200) texts.emplace(text);
                if (!result.has_device_code) return;
                if (std::string name = function_of_mangled(text); !name.empty())
                    kernels.insert(std::move(name));
            });
        }
        result.texts.assign(texts.begin(), texts.end());
        result.kernels.assign(kernels.begin(), kernels.end());
    }

    std::string path_;
    descriptor file_;
    std::unique_ptr<Elf, close_elf> elf_;
    GElf_Ehdr header_{};
    std::vector<section> sections_;
    std::map<unsigned, std::pair<std::string, std::string>> needed_versions_;
    std::map<unsigned, std::string> defined_versions_;
};

}  // namespace

bool can_read_elf() { return true; }

std::optional<elf_file> read_elf(const std::string& path, elf_part part) {
    if (!is_elf(path)) return std::nullopt;
    return elf_reader(path).read(part);
}

}  // namespace heron::tools
