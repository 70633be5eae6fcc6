#include "weave/compose/chunks.h"

#include <algorithm>

namespace chord::weave {
namespace {

void put(Chunk &chunk, const Piece &piece) {
  auto later = [&](const Piece &other) { return other.turn > piece.turn; };
  chunk.insert(std::find_if(chunk.begin(), chunk.end(), later), piece);
}

}  // namespace

void Chunks::put(const Piece &piece) {
  switch (piece.site.kind) {
    case Site::Kind::before:
      weave::put(before[piece.site.statement], piece);
      break;
    case Site::Kind::after:
      weave::put(after[piece.site.statement], piece);
      break;
    case Site::Kind::jump_stub:
    case Site::Kind::slot_stub:
      // What may end here has counted nothing on the way yet.
      if (piece.turn == Turn::checking && piece.site.kind == Site::Kind::jump_stub) {
        stubs[piece.edge].insert(stubs[piece.edge].begin(), piece);
        break;
      }
      stubs[piece.edge].push_back(piece);
      break;
    case Site::Kind::none:
      break;
  }
}

}  // namespace chord::weave
