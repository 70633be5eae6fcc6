#include "analysis/trace/study.h"

#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/diagnostics.h"

namespace chord::analysis {
namespace {

// How many bytes a stream has, and how many when it is compressed.
class Compressed {
 public:
  Compressed() : context_(ZSTD_createCCtx(), ZSTD_freeCCtx), out_(ZSTD_CStreamOutSize(), '\0') {
    if (context_ == nullptr) throw base::Error("the trace cannot be compressed: out of memory");
    in_.reserve(kPiece + sizeof(uint64_t));
  }

  void add(const void *bytes, size_t size) {
    in_.append(static_cast<const char *>(bytes), size);
    all_ += size;
    if (in_.size() >= kPiece) compress(ZSTD_e_continue);
  }
  uint64_t finish() {
    compress(ZSTD_e_end);
    return compressed_;
  }
  uint64_t size() const { return all_; }

 private:
  static constexpr size_t kPiece = 1 << 17;

  void compress(ZSTD_EndDirective directive) {
    ZSTD_inBuffer input{in_.data(), in_.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer output{out_.data(), out_.size(), 0};
      size_t left = ZSTD_compressStream2(context_.get(), &output, &input, directive);
      if (ZSTD_isError(left) != 0) throw base::Error(std::string("the trace cannot be compressed: ") + ZSTD_getErrorName(left));
      compressed_ += output.pos;
      done = directive == ZSTD_e_end ? left == 0 : input.pos == input.size;
    }
    in_.clear();
  }

  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx *)> context_;
  std::string in_, out_;
  uint64_t all_ = 0, compressed_ = 0;
};

void add_words(const format::TraceStream &stream, TraceStudy &study) {
  Compressed words;
  for (size_t n = 0; n < stream.chunks.size(); ++n) words.add(stream.chunks[n].data(), stream.chunks[n].size_bytes());
  study.written += words.size();
  study.written_compressed += words.finish();
}

}  // namespace

void study_stream(const TracedCode &code, const format::TraceStream &stream, TraceStudy &study) {
  add_words(stream, study);
  Compressed blocks;
  std::vector<uint64_t> edges(code.edge_count());
  TraceCursor cursor(code, stream);
  cursor.count_edges(edges);
  for (TraceStretch s; cursor.next(s);) {
    const TracedProcedure &p = code.procedure(s.procedure);
    if (p.block_of[s.first] == core::kNone || p.map->blocks[p.block_of[s.first]].first != s.first) continue;
    auto number = static_cast<uint32_t>(p.first_instruction + s.first);  // of its first instruction, which names it
    blocks.add(&number, sizeof number);
    ++study.blocks;
  }
  uint64_t bits = 0, tokens = 0;
  uint64_t by_bits = 0, by_witnesses = 0, by_paths = 0;
  for (uint32_t n = 0; n < code.size(); ++n) {
    const TracedProcedure &p = code.procedure(n);
    const std::vector<core::TraceToken> each = core::trace_tokens(p.map->graph(), format::never_taken(*p.map));
    const bool parts = std::any_of(p.out.begin() + 1, p.out.end(), [](const auto &out) { return out.size() > 1; });
    const core::TraceEncoding encoding = p.map->plan.encoding;
    if (parts) ++(encoding == core::TraceEncoding::witness ? by_witnesses : encoding == core::TraceEncoding::paths ? by_paths : by_bits);
    for (core::EdgeId e = 0; e < p.map->edges.size(); ++e) {
      uint64_t taken = edges[p.first_edge + e];
      bits += taken * each[e].bits;
      const bool enters = p.map->edges[e].from == 0;  // what that writes is not about branches
      tokens += taken * ((enters ? 0 : p.code.tokens[e].bits) + (e == core::Graph::return_edge() ? 0 : p.code.reserved[p.map->edges[e].to]));
      if (p.is_branch(e)) study.branches += taken;
      if (e == p.enter) study.calls += taken;
    }
  }
  study.instructions += cursor.number();
  study.block_bytes += blocks.size();
  study.block_bytes_compressed += blocks.finish();
  study.branch_bytes = study.branches;
  study.bit_bytes += (bits + 7) / 8;
  study.token_bytes += (tokens + 7) / 8;
  study.bits_procedures = std::max(study.bits_procedures, by_bits);  // of several threads the same
  study.witness_procedures = std::max(study.witness_procedures, by_witnesses);
  study.path_procedures = std::max(study.path_procedures, by_paths);
  if (!cursor.problem().empty()) study.problem = cursor.problem();
}

}  // namespace chord::analysis
