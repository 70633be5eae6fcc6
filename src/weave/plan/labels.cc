#include "weave/plan/labels.h"

#include <fmt/core.h>

namespace chord::weave {

std::string start_label(uint32_t n, size_t fragment) { return fmt::format(".Lchord_f{}_{}", n, fragment); }
std::string end_label(uint32_t n, size_t fragment) { return fmt::format(".Lchord_e{}_{}", n, fragment); }
std::string mark_label(uint32_t n, uint32_t instruction) { return fmt::format(".Lchord_m{}_{}", n, instruction); }
std::string spot_label(uint32_t n, uint32_t spot) { return fmt::format(".Lchord_w{}_{}", n, spot); }
std::string counters_label(uint32_t n) { return fmt::format(".Lchord_c{}", n); }
std::string numbers_label(uint32_t n) { return fmt::format(".Lchord_u{}", n); }
std::string record_label(uint32_t n) { return fmt::format(".Lchord_p{}", n); }
std::string totals_label(uint32_t n) { return fmt::format(".Lchord_i{}", n); }
std::string totals_record_label(uint32_t n) { return fmt::format(".Lchord_q{}", n); }
std::string metrics_label(uint32_t n) { return fmt::format(".Lchord_v{}", n); }
std::string metrics_record_label(uint32_t n) { return fmt::format(".Lchord_o{}", n); }
std::string personality_label(const std::string &personality) { return "__chord_personality." + personality; }

}  // namespace chord::weave
