#include "html/page.h"

#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "html/data/data.h"
#include "html/text/pack.h"
#include "html/static_view.h"
#include "html/text/text.h"

// The built page, as it is in the repository.
asm(R"(
  .section .rodata
  .globl chord_page_begin, chord_page_end
chord_page_begin:
  .incbin ")" CHORD_PAGE R"("
chord_page_end:
  .previous
)");
extern const char chord_page_begin[], chord_page_end[];

namespace chord::html {
namespace {

// Puts `text` in the place of `marker`, which occurs once.
void fill(std::string &page, std::string_view marker, const std::string &text) {
  const size_t at = page.find(marker);
  if (at == std::string::npos) throw base::Error("the built page of this chord is damaged: it lacks " + std::string(marker));
  page.replace(at, marker.size(), text);
}

}  // namespace

std::string make_page(const analysis::Program &program, const PageOptions &options) {
  std::optional<Comparison> comparison;
  if (options.old != nullptr) comparison = compare(*options.old, program);
  const Facts facts(program);
  const DataOptions data{options.sources, comparison ? &*comparison : nullptr};
  const Gathered gathered = gather(facts, data);
  std::string chunks;
  for (const std::string &text : gathered.chunks) chunks += "<script type=\"text/plain\" class=\"chunk\">" + pack(text) + "</script>\n";
  std::string page(chord_page_begin, chord_page_end);
  // From the end to the beginning, so that no marker is looked for in what was filled in.
  fill(page, "<!--chord:data-->", chunks);
  fill(page, "<!--chord:overview-->", "<script type=\"application/json\" id=\"overview\">" + gathered.overview + "</script>");
  fill(page, "<!--chord:static-->", static_view(facts, data));
  fill(page, "<title>chord</title>", "<title>" + escape_html(program.name) + " – chord</title>");
  return page;
}

}  // namespace chord::html
