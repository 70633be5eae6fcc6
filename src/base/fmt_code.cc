// fmt's code, compiled into chord. Loading libfmt and the libstdc++ it needs was a fifth of what starting chord costs, and a build starts it
// twice for each source (CMakeLists.txt, CHORD_FMT_INSIDE).
#ifdef CHORD_FMT_INSIDE
#include <fmt/format-inl.h>

// What the headers declare to be elsewhere.
namespace fmt::detail {
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
}  // namespace fmt::detail
#endif
