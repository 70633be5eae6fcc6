#include "assembly/text/join_objects.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace chord::assembly {
namespace {

// Thrown and caught here alone: the object is not of a kind that can be joined.
struct Unknown {};

void require(bool good) {
  if (!good) throw Unknown();
}

struct JoinedSection {
  Elf64_Shdr header;
  std::string_view name;
  std::string_view bytes;  // empty for those that only take memory
};

struct Symbol {
  Elf64_Sym entry;
  std::string_view name;
};

std::string_view part(std::string_view all, uint64_t at, uint64_t size) {
  require(at <= all.size() && size <= all.size() - at);
  return all.substr(at, size);
}

std::string_view name_at(std::string_view names, uint64_t at) {
  require(at < names.size());
  size_t end = names.find('\0', at);
  require(end != std::string_view::npos);
  return names.substr(at, end - at);
}

template <class T>
std::vector<T> table(std::string_view bytes) {
  require(bytes.size() % sizeof(T) == 0);
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

template <class T>
std::string bytes_of(const std::vector<T> &entries) {
  return {reinterpret_cast<const char *>(entries.data()), entries.size() * sizeof(T)};
}

bool is_relocation(const JoinedSection &s) { return s.header.sh_type == SHT_RELA; }

struct Object {
  Elf64_Ehdr header;
  std::vector<JoinedSection> sections;
  std::vector<Symbol> symbols;
  uint32_t symbol_table = 0, symbol_names = 0, section_names = 0;  // numbers of sections
  uint32_t locals = 0;

  explicit Object(std::string_view file) {
    require(file.size() >= sizeof header);
    std::memcpy(&header, file.data(), sizeof header);
    require(std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
            header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type == ET_REL && header.e_machine == EM_X86_64 &&
            header.e_shentsize == sizeof(Elf64_Shdr) && header.e_shnum != 0);
    auto headers = table<Elf64_Shdr>(part(file, header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)));
    section_names = header.e_shstrndx;
    require(section_names < headers.size());
    std::string_view names = part(file, headers[section_names].sh_offset, headers[section_names].sh_size);
    for (const Elf64_Shdr &h : headers) {
      bool in_file = h.sh_type != SHT_NOBITS && h.sh_type != SHT_NULL;
      sections.push_back({h, name_at(names, h.sh_name), in_file ? part(file, h.sh_offset, h.sh_size) : std::string_view()});
    }
    find_symbols();
    for (const JoinedSection &s : sections) check(s);
  }

 private:
  void find_symbols() {
    for (uint32_t i = 1; i < sections.size(); ++i) {
      require(sections[i].header.sh_type != SHT_SYMTAB_SHNDX);
      if (sections[i].header.sh_type != SHT_SYMTAB) continue;
      require(symbol_table == 0);
      symbol_table = i;
    }
    require(symbol_table != 0);
    const JoinedSection &s = sections[symbol_table];
    symbol_names = s.header.sh_link;
    require(symbol_names < sections.size() && symbol_names != section_names);
    for (const Elf64_Sym &entry : table<Elf64_Sym>(s.bytes)) {
      require(entry.st_shndx < sections.size() || entry.st_shndx >= SHN_LORESERVE);
      symbols.push_back({entry, name_at(sections[symbol_names].bytes, entry.st_name)});
    }
    locals = s.header.sh_info;
    require(locals <= symbols.size() && locals != 0);
  }

  // Whatever refers to symbols or sections by number must be known.
  void check(const JoinedSection &s) const {
    switch (s.header.sh_type) {
      case SHT_RELA:
        require(s.header.sh_link == symbol_table && s.header.sh_info < sections.size());
        for (const Elf64_Rela &r : table<Elf64_Rela>(s.bytes)) require(ELF64_R_SYM(r.r_info) < symbols.size());
        return;
      case SHT_GROUP: {
        require(s.header.sh_link == symbol_table && s.header.sh_info < symbols.size() && s.bytes.size() >= sizeof(uint32_t));
        std::vector<uint32_t> words = table<uint32_t>(s.bytes);
        for (size_t i = 1; i < words.size(); ++i) require(words[i] < sections.size());
        return;
      }
      case SHT_NULL:
      case SHT_PROGBITS:
      case SHT_NOBITS:
      case SHT_NOTE:
      case SHT_INIT_ARRAY:
      case SHT_FINI_ARRAY:
      case SHT_PREINIT_ARRAY:
      case SHT_X86_64_UNWIND:
        require(s.header.sh_link < sections.size() && (s.header.sh_link == 0 || (s.header.sh_flags & SHF_LINK_ORDER) != 0));
        return;
      case SHT_SYMTAB:
      case SHT_STRTAB:
        return;
      default:
        throw Unknown();
    }
  }
};

// Of two visibilities the one that shows less; default shows most.
unsigned char less_visible(unsigned char a, unsigned char b) {
  if (a == STV_DEFAULT || b == STV_DEFAULT) return std::max(a, b);
  return std::min(a, b);
}

class Joiner {
 public:
  Joiner(const Object &first, const Object &second) : first_(first), second_(second) {}

  std::string run() {
    number_sections();
    join_symbols();
    for (const JoinedSection &s : first_.sections) add(s.header, {first_, s.header.sh_name, 0}, content(first_, s));
    for (uint32_t i = 1; i < second_.sections.size(); ++i) {
      if (number_[i] < first_.sections.size()) continue;
      Elf64_Shdr header = second_.sections[i].header;
      if (header.sh_link != 0) header.sh_link = links_symbols(header) ? first_.symbol_table : number_[header.sh_link];
      if (header.sh_type == SHT_RELA) header.sh_info = number_[header.sh_info];
      add(header, {second_, header.sh_name, first_.sections[first_.section_names].bytes.size()}, content(second_, second_.sections[i]));
    }
    return write();
  }

 private:
  struct Name {
    const Object &object;
    uint32_t at;
    size_t shift;
  };

  static bool links_symbols(const Elf64_Shdr &h) { return h.sh_type == SHT_RELA || h.sh_type == SHT_GROUP; }

  uint32_t find(const Object &object, std::string_view name) const {
    uint32_t found = 0;
    for (uint32_t i = 1; i < object.sections.size(); ++i) {
      if (object.sections[i].name != name) continue;
      require(found == 0);  // which of them?
      found = i;
    }
    return found;
  }

  // Numbers of the second object's sections in the result; below the first's number of sections: not there by itself.
  void number_sections() {
    number_.assign(second_.sections.size(), 0);
    rules_ = find(first_, ".eh_frame");
    more_rules_ = find(second_, ".eh_frame");
    rules_at_ = rules_ != 0 ? first_.sections[rules_].bytes.size() : 0;
    require(rules_at_ % 8 == 0);
    rule_places_ = find(first_, ".rela.eh_frame");
    more_rule_places_ = find(second_, ".rela.eh_frame");
    bool rules_join = rules_ != 0 && rule_places_ != 0 && more_rules_ != 0;
    require(rules_join || rules_ == 0 || more_rules_ == 0);
    uint32_t next = static_cast<uint32_t>(first_.sections.size());
    for (uint32_t i = 1; i < second_.sections.size(); ++i) {
      const JoinedSection &s = second_.sections[i];
      bool is_table = s.header.sh_type == SHT_SYMTAB || s.header.sh_type == SHT_STRTAB;
      bool says_nothing = s.header.sh_size == 0 && (s.name == ".text" || s.name == ".data" || s.name == ".bss" || s.name == ".note.GNU-stack");
      bool joins = rules_join && (i == more_rules_ || i == more_rule_places_);
      if (joins) number_[i] = i == more_rules_ ? rules_ : rule_places_;
      if (!is_table && !says_nothing && !joins) number_[i] = next++;
    }
    if (!rules_join) rules_ = 0;
    require(next < SHN_LORESERVE);
  }

  void join_symbols() {
    for (uint32_t i = 0; i < first_.locals; ++i) symbols_.push_back(first_.symbols[i].entry);
    renumbered_.assign(second_.symbols.size(), 0);
    for (uint32_t i = 1; i < second_.locals; ++i) {
      const Symbol &s = second_.symbols[i];
      bool in_section = s.entry.st_shndx != SHN_UNDEF && s.entry.st_shndx < SHN_LORESERVE;
      if (in_section && number_[s.entry.st_shndx] == 0) continue;
      // Nothing may refer to unwind information by number: it has moved.
      if (rules_ != 0 && in_section && s.entry.st_shndx == more_rules_) continue;
      renumbered_[i] = static_cast<uint32_t>(symbols_.size());
      symbols_.push_back(moved(s));
    }
    locals_ = static_cast<uint32_t>(symbols_.size());
    std::unordered_map<std::string_view, uint32_t> known;
    for (uint32_t i = first_.locals; i < first_.symbols.size(); ++i) {
      known.emplace(first_.symbols[i].name, static_cast<uint32_t>(symbols_.size()));
      symbols_.push_back(first_.symbols[i].entry);
    }
    for (uint32_t i = second_.locals; i < second_.symbols.size(); ++i) {
      auto [place, fresh] = known.emplace(second_.symbols[i].name, static_cast<uint32_t>(symbols_.size()));
      renumbered_[i] = place->second;
      if (fresh)
        symbols_.push_back(moved(second_.symbols[i]));
      else
        symbols_[place->second] = both(symbols_[place->second], moved(second_.symbols[i]));
    }
  }

  Elf64_Sym moved(const Symbol &s) const {
    Elf64_Sym out = s.entry;
    if (out.st_name != 0) out.st_name += static_cast<uint32_t>(first_.sections[first_.symbol_names].bytes.size());
    if (out.st_shndx != SHN_UNDEF && out.st_shndx < SHN_LORESERVE) {
      out.st_shndx = static_cast<uint16_t>(number_[out.st_shndx]);
      require(out.st_shndx >= first_.sections.size());
    }
    return out;
  }

  // The same name in both objects.
  static Elf64_Sym both(const Elf64_Sym &a, const Elf64_Sym &b) {
    require(a.st_shndx == SHN_UNDEF || b.st_shndx == SHN_UNDEF);
    Elf64_Sym out = a.st_shndx == SHN_UNDEF ? b : a;
    out.st_name = a.st_name;
    unsigned char bind = ELF64_ST_BIND(out.st_info), type = ELF64_ST_TYPE(out.st_info);
    if (out.st_shndx == SHN_UNDEF) {
      bind = ELF64_ST_BIND(a.st_info) == STB_WEAK && ELF64_ST_BIND(b.st_info) == STB_WEAK ? STB_WEAK : STB_GLOBAL;
      if (type == STT_NOTYPE) type = ELF64_ST_TYPE(a.st_info);
    }
    out.st_info = ELF64_ST_INFO(bind, type);
    out.st_other = static_cast<unsigned char>((out.st_other & ~3) | less_visible(a.st_other & 3, b.st_other & 3));
    return out;
  }

  uint32_t symbol(const Object &from, uint64_t number) const {
    if (&from == &second_) {
      require(number == 0 || renumbered_[number] != 0);
      return renumbered_[number];
    }
    return static_cast<uint32_t>(number < from.locals ? number : number + locals_ - from.locals);
  }

  std::string relocations(const Object &from, const JoinedSection &s, uint64_t shift) const {
    std::vector<Elf64_Rela> out = table<Elf64_Rela>(s.bytes);
    for (Elf64_Rela &r : out) {
      r.r_info = ELF64_R_INFO(uint64_t{symbol(from, ELF64_R_SYM(r.r_info))}, ELF64_R_TYPE(r.r_info));
      r.r_offset += shift;
    }
    return bytes_of(out);
  }

  std::string group(const Object &from, const JoinedSection &s) const {
    std::vector<uint32_t> out = table<uint32_t>(s.bytes);
    for (size_t i = 1; &from == &second_ && i < out.size(); ++i) {
      out[i] = number_[out[i]];
      require(out[i] >= first_.sections.size());
    }
    return bytes_of(out);
  }

  std::string content(const Object &from, const JoinedSection &s) const {
    uint32_t number = static_cast<uint32_t>(&s - from.sections.data());
    bool is_first = &from == &first_;
    if (is_first && number == first_.symbol_table) return bytes_of(symbols_);
    if (is_first && (number == first_.symbol_names || number == first_.section_names)) {
      const JoinedSection &more = second_.sections[number == first_.symbol_names ? second_.symbol_names : second_.section_names];
      return std::string(s.bytes) + std::string(more.bytes);
    }
    if (s.header.sh_type == SHT_GROUP) return group(from, s);
    if (is_relocation(s)) {
      std::string out = relocations(from, s, 0);
      if (is_first && rules_ != 0 && number == rule_places_ && more_rule_places_ != 0)
        out += relocations(second_, second_.sections[more_rule_places_], rules_at_);
      return out;
    }
    std::string out(s.bytes);
    if (is_first && rules_ != 0 && number == rules_) out += second_.sections[more_rules_].bytes;
    return out;
  }

  void add(Elf64_Shdr header, const Name &name, std::string bytes) {
    header.sh_name = static_cast<uint32_t>(name.at + name.shift);
    if (header.sh_type == SHT_SYMTAB) header.sh_info = locals_;
    if (header.sh_type == SHT_GROUP) header.sh_info = symbol(name.object, header.sh_info);
    if (header.sh_type != SHT_NOBITS) header.sh_size = bytes.size();
    headers_.push_back(header);
    contents_.push_back(std::move(bytes));
  }

  std::string write() {
    Elf64_Ehdr header = first_.header;
    size_t size = sizeof header + headers_.size() * sizeof headers_[0];
    for (const std::string &bytes : contents_) size += bytes.size() + 64;
    std::string out;
    out.reserve(size);
    out.resize(sizeof header);
    auto align = [&](uint64_t to) { out.resize((out.size() + to - 1) / to * to); };
    for (size_t i = 1; i < headers_.size(); ++i) {
      uint64_t to = std::max<uint64_t>(headers_[i].sh_addralign, 1);
      require((to & (to - 1)) == 0 && to <= 1 << 20);
      align(headers_[i].sh_type == SHT_NOBITS ? 1 : to);
      headers_[i].sh_offset = out.size();
      out += contents_[i];
    }
    align(8);
    header.e_shoff = out.size();
    header.e_shnum = static_cast<uint16_t>(headers_.size());
    out += bytes_of(headers_);
    std::memcpy(out.data(), &header, sizeof header);
    return out;
  }

  const Object &first_, &second_;
  std::vector<uint32_t> number_;      // the second's sections in the result
  std::vector<uint32_t> renumbered_;  // the second's symbols
  uint32_t rules_ = 0, more_rules_ = 0, rule_places_ = 0, more_rule_places_ = 0;
  uint64_t rules_at_ = 0;
  std::vector<Elf64_Sym> symbols_;
  uint32_t locals_ = 0;
  std::vector<Elf64_Shdr> headers_;
  std::vector<std::string> contents_;
};

}  // namespace

std::optional<std::string> join_objects(std::string_view first, std::string_view second) {
  try {
    Object a(first), b(second);
    return Joiner(a, b).run();
  } catch (const Unknown &) {
    return std::nullopt;
  }
}

}  // namespace chord::assembly
