// A flame graph of exact costs as one SVG file: a box for each chain of functions, as wide as the instructions that it and
// all it calls took, with its callees on top. The script in it enlarges a box when it is clicked, and searches; without scripts
// it is a picture.
//
// With another profile to compare with, a box is as wide as the larger of its two costs and red for what has become more, blue for what
// has become less, the more so the greater its share.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "exports/exports.h"
#include "exports/stacks/flame_boxes.h"
#include "exports/stacks/stacks.h"
#include "exports/text_file.h"
#include "exports/xml.h"
#include "report/tables/names.h"

namespace chord::exports {
namespace {

constexpr double kWidth = 1200, kMargin = 10, kRow = 18, kTop = 62, kBottom = 30, kNarrowest = 0.1;

// One of the colours of fire, the same for a name wherever it is.
std::string colour_of(const std::string &name) {
  uint32_t hash = 2166136261;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  return fmt::format("rgb({},{},{})", 205 + hash % 50, 80 + (hash >> 8) % 130, (hash >> 16) % 55);
}

// From blue, of what is gone, through grey to red, of what is new.
std::string colour_of_change(uint64_t before, uint64_t after) {
  if (before == after) return "rgb(225,225,225)";
  auto share = (static_cast<double>(after) - static_cast<double>(before)) / static_cast<double>(std::max(before, after));
  auto fading = static_cast<int>(215 - 150 * std::abs(share));
  return share > 0 ? fmt::format("rgb(255,{0},{0})", fading) : fmt::format("rgb({0},{0},255)", fading);
}

std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

constexpr const char *kStyle =
    "text{font:12px sans-serif;fill:#000}.t{pointer-events:none;font:11px monospace}rect.b:hover{stroke:#000}"
    ".found rect{fill:#e600e6}.f rect{cursor:pointer}#reset,#search{cursor:pointer;fill:#06c}.faded{opacity:.5}";

constexpr const char *kScript = R"(
var boxes=[],whole=1200-20;
function fit(g,width){var t=g.querySelector('.t'),n=g.getAttribute('data-n'),fits=Math.floor((width-6)/6.7);
t.textContent=fits<3?'':n.length<=fits?n:n.slice(0,fits-1)+'…';}
function show(left,share,depth){boxes.forEach(function(b){
var inside=b.depth<depth?(b.left<=left+1e-12&&b.left+b.share>=left+share-1e-12):(b.left>=left-1e-12&&b.left+b.share<=left+share+1e-12);
b.g.style.display=inside?'':'none';if(!inside)return;
var x=10+Math.max(0,(b.left-left)/share)*whole,w=Math.min(1,b.share/share)*whole,r=b.g.querySelector('rect');
r.setAttribute('x',x);r.setAttribute('width',w);b.g.querySelector('.t').setAttribute('x',x+3);fit(b.g,w);
b.g.classList.toggle('faded',b.depth<depth);});
document.getElementById('reset').style.display=depth>0?'':'none';}
function search(){var word=prompt('Functions whose names contain (a regular expression):','');if(word===null)return;
var found=0,re;try{re=new RegExp(word);}catch(e){alert(e.message);return;}
boxes.forEach(function(b){var m=word!==''&&re.test(b.g.getAttribute('data-n'));b.g.classList.toggle('found',m);b.found=m;});
boxes.forEach(function(b){if(!b.found)return;
if(!boxes.some(function(o){return o.found&&o.depth<b.depth&&o.left<=b.left+1e-12&&o.left+o.share>=b.left+b.share-1e-12;}))found+=b.share;});
document.getElementById('result').textContent=word===''?'':'matched: '+(100*found).toFixed(2)+' %';}
document.querySelectorAll('.f').forEach(function(g){var b={g:g,left:+g.getAttribute('data-l'),share:+g.getAttribute('data-s'),depth:+g.getAttribute('data-d')};
boxes.push(b);g.addEventListener('click',function(){show(b.left,b.share,b.depth);});});
document.getElementById('reset').addEventListener('click',function(){show(0,1,0);});
document.getElementById('search').addEventListener('click',search);
window.addEventListener('keydown',function(e){if((e.ctrlKey||e.metaKey)&&e.key==='f'){e.preventDefault();search();}
if(e.key==='Escape')show(0,1,0);});
boxes.forEach(function(b){fit(b.g,b.share*whole);});
document.getElementById('reset').style.display='none';
)";

class Picture {
 public:
  Picture(std::vector<FlameBox> boxes, std::string title, bool compares) : boxes_(std::move(boxes)), title_(std::move(title)), compares_(compares) {}

  std::string draw() {
    for (const FlameBox &box : boxes_) deepest_ = std::max(deepest_, width_of(box) >= kNarrowest ? box.depth : 0);
    double height = kTop + kRow * (deepest_ + 1) + kBottom;
    out_.line(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    out_.line(R"(<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 {} {}">)", kWidth, height);
    out_.line("<style>{}</style>", kStyle);
    out_.line(R"(<rect width="100%" height="100%" fill="{}"/>)", compares_ ? "#fff" : "#fff8ee");
    out_.line(R"(<text x="{}" y="24" text-anchor="middle" style="font-size:17px">{}</text>)", kWidth / 2, xml_escape(title_));
    for (const FlameBox &box : boxes_) draw(box);
    out_.line(R"(<text x="{}" y="44" text-anchor="middle">{}{}</text>)", kWidth / 2, subtitle(),
              narrow_ == 0 ? "" : fmt::format("; {} boxes too narrow to see are not drawn", grouped(narrow_)));
    out_.line(R"(<text id="reset" x="{}" y="24">Whole</text><text id="search" x="{}" y="24" text-anchor="end">Search</text>)", kMargin,
              kWidth - kMargin);
    out_.line(R"(<text id="result" x="{}" y="{}" text-anchor="end"></text>)", kWidth - kMargin, height - 10);
    out_.line("<script><![CDATA[{}]]></script>\n</svg>", kScript);
    return out_.take();
  }

 private:
  double share_of(const FlameBox &box) const { return static_cast<double>(box.width) / static_cast<double>(boxes_[0].width); }
  double width_of(const FlameBox &box) const { return share_of(box) * (kWidth - 2 * kMargin); }

  std::string subtitle() const {
    const FlameBox &whole = boxes_[0];
    if (!compares_) return grouped(whole.all) + " instructions";
    return fmt::format("{} instructions, were {}: red has become more, blue less; a box is as wide as the larger", grouped(whole.all), grouped(whole.old_all));
  }

  std::string says(const FlameBox &box) const {
    if (!compares_) {
      return fmt::format("{} instructions ({:.2f} %), {} of them its own", grouped(box.all), 100 * share_of(box), grouped(box.own));
    }
    auto signed_change = [](uint64_t before, uint64_t after) { return (after < before ? "−" : "+") + grouped(after < before ? before - after : after - before); };
    return fmt::format("{} instructions, were {} ({})\nits own {}, were {} ({})", grouped(box.all), grouped(box.old_all),
                       signed_change(box.old_all, box.all), grouped(box.own), grouped(box.old_own), signed_change(box.old_own, box.own));
  }

  void draw(const FlameBox &box) {
    if (width_of(box) < kNarrowest) {
      ++narrow_;
      return;
    }
    double x = kMargin + box.left * (kWidth - 2 * kMargin), y = kTop + kRow * (deepest_ - box.depth);
    auto fits = static_cast<size_t>(std::max(0.0, (width_of(box) - 6) / 6.7));
    std::string shown = fits < 3 ? "" : report::cut_end(box.name, fits);
    out_.line(R"(<g class="f" data-n="{}" data-l="{:.12g}" data-s="{:.12g}" data-d="{}">)", xml_escape(box.name), box.left, share_of(box), box.depth);
    out_.line("<title>{}\n{}</title>", xml_escape(box.name), says(box));
    out_.line(R"(<rect class="b" x="{:.4f}" y="{}" width="{:.4f}" height="{}" rx="2" fill="{}"/>)", x, y, width_of(box), kRow - 1,
              compares_ ? colour_of_change(box.old_all, box.all) : colour_of(box.name));
    out_.line(R"(<text class="t" x="{:.4f}" y="{}">{}</text></g>)", x + 3, y + 13, xml_escape(shown));
  }

  std::vector<FlameBox> boxes_;
  std::string title_;
  bool compares_;
  TextFile out_;
  uint32_t deepest_ = 0;
  uint64_t narrow_ = 0;
};

}  // namespace

Exported write_svg(const Input &input) {
  std::vector<FlameBox> boxes = input.before != nullptr ? compared_flame_boxes(*input.before, input.program) : flame_boxes(input.program);
  Exported out{{}, context_warnings(input.program)};
  if (boxes[0].width == 0) {
    out.warnings.emplace_back("no instruction was executed in a context: there is nothing to draw");
    return out;
  }
  std::string title = input.before == nullptr ? input.program.name : fmt::format("{}: what has changed", input.program.name);
  out.bytes = Picture(std::move(boxes), std::move(title), input.before != nullptr).draw();
  return out;
}

}  // namespace chord::exports
