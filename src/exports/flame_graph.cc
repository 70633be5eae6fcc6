// A flame graph of exact costs as one SVG file: a box for each chain of functions, as wide as the instructions that it and
// all it calls took, with its callees on top. The script in it enlarges a box when it is clicked, and searches; without scripts
// it is a picture.
//
// From the tree of functions: calls of one function from several places in another are one box.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "exports/exports.h"
#include "exports/stacks.h"
#include "exports/text_file.h"
#include "exports/xml.h"

namespace chord::exports {
namespace {

constexpr double kWidth = 1200, kMargin = 10, kRow = 18, kTop = 62, kBottom = 30, kNarrowest = 0.1;

struct Box {
  uint32_t frame = 0;
  uint64_t exclusive = 0, inclusive = 0;
  std::map<uint32_t, size_t> callees;  // frame -> box
  double left = 0;                     // share of the whole, from the left
  uint32_t depth = 0;
};

// The first is the whole program. A callee comes after its caller.
std::vector<Box> boxes_of(const Stacks &stacks) {
  std::vector<Box> boxes(1);
  for (const Stack &stack : stacks.stacks) {
    size_t at = 0;
    boxes[0].inclusive += stack.instructions;
    for (uint32_t frame : stack.frames) {
      auto found = boxes[at].callees.find(frame);
      if (found == boxes[at].callees.end()) {
        found = boxes[at].callees.emplace(frame, boxes.size()).first;
        size_t next = found->second;
        uint32_t depth = boxes[at].depth + 1;
        boxes.push_back({frame, 0, 0, {}, 0, depth});
        at = next;
      } else {
        at = found->second;
      }
      boxes[at].inclusive += stack.instructions;
    }
    boxes[at].exclusive += stack.instructions;
  }
  return boxes;
}

// The dearest callee first.
void place(std::vector<Box> &boxes) {
  for (Box &box : boxes) {
    std::vector<size_t> order;
    for (const auto &[frame, callee] : box.callees) order.push_back(callee);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return boxes[a].inclusive > boxes[b].inclusive; });
    double at = box.left;
    for (size_t callee : order) {
      boxes[callee].left = at;
      at += static_cast<double>(boxes[callee].inclusive) / static_cast<double>(boxes[0].inclusive);
    }
  }
}

// One of the colours of fire, the same for a name wherever it is.
std::string colour_of(const std::string &name) {
  uint32_t hash = 2166136261;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  return fmt::format("rgb({},{},{})", 205 + hash % 50, 80 + (hash >> 8) % 130, (hash >> 16) % 55);
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
  Picture(const Stacks &stacks, std::string title) : stacks_(stacks), title_(std::move(title)), boxes_(boxes_of(stacks)) { place(boxes_); }

  std::string draw() {
    for (const Box &box : boxes_) deepest_ = std::max(deepest_, width_of(box) >= kNarrowest ? box.depth : 0);
    double height = kTop + kRow * (deepest_ + 1) + kBottom;
    out_.line(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    out_.line(R"(<svg xmlns="http://www.w3.org/2000/svg" width="100%" viewBox="0 0 {} {}">)", kWidth, height);
    out_.line("<style>{}</style>", kStyle);
    out_.line(R"(<rect width="100%" height="100%" fill="#fff8ee"/>)");
    out_.line(R"(<text x="{}" y="24" text-anchor="middle" style="font-size:17px">{}</text>)", kWidth / 2, xml_escape(title_));
    for (const Box &box : boxes_) draw(box);
    out_.line(R"(<text x="{}" y="44" text-anchor="middle">{} instructions{}</text>)", kWidth / 2, grouped(boxes_[0].inclusive),
              narrow_ == 0 ? "" : fmt::format("; {} boxes too narrow to see are not drawn", grouped(narrow_)));
    out_.line(R"(<text id="reset" x="{}" y="24">Whole</text><text id="search" x="{}" y="24" text-anchor="end">Search</text>)", kMargin,
              kWidth - kMargin);
    out_.line(R"(<text id="result" x="{}" y="{}" text-anchor="end"></text>)", kWidth - kMargin, height - 10);
    out_.line("<script><![CDATA[{}]]></script>\n</svg>", kScript);
    return out_.take();
  }

 private:
  double share_of(const Box &box) const { return static_cast<double>(box.inclusive) / static_cast<double>(boxes_[0].inclusive); }
  double width_of(const Box &box) const { return share_of(box) * (kWidth - 2 * kMargin); }

  void draw(const Box &box) {
    if (width_of(box) < kNarrowest) {
      ++narrow_;
      return;
    }
    const std::string name = &box == boxes_.data() ? "all" : stacks_.frames[box.frame].name;
    double x = kMargin + box.left * (kWidth - 2 * kMargin), y = kTop + kRow * (deepest_ - box.depth);
    auto fits = static_cast<size_t>(std::max(0.0, (width_of(box) - 6) / 6.7));
    std::string shown = fits < 3 ? "" : name.size() <= fits ? name : name.substr(0, fits - 1) + "…";
    out_.line(R"(<g class="f" data-n="{}" data-l="{:.12g}" data-s="{:.12g}" data-d="{}">)", xml_escape(name), box.left, share_of(box), box.depth);
    out_.line("<title>{}\n{} instructions ({:.2f} %), {} of them its own</title>", xml_escape(name), grouped(box.inclusive), 100 * share_of(box),
              grouped(box.exclusive));
    out_.line(R"(<rect class="b" x="{:.4f}" y="{}" width="{:.4f}" height="{}" rx="2" fill="{}"/>)", x, y, width_of(box), kRow - 1, colour_of(name));
    out_.line(R"(<text class="t" x="{:.4f}" y="{}">{}</text></g>)", x + 3, y + 13, xml_escape(shown));
  }

  const Stacks &stacks_;
  std::string title_;
  std::vector<Box> boxes_;
  TextFile out_;
  uint32_t deepest_ = 0;
  uint64_t narrow_ = 0;
};

}  // namespace

Exported write_svg(const Input &input) {
  Stacks stacks = stacks_of(input.program);
  if (stacks.stacks.empty()) return {{}, {"no instruction was executed in a context: there is nothing to draw"}};
  return {Picture(stacks, input.program.name).draw(), std::move(stacks.warnings)};
}

}  // namespace chord::exports
