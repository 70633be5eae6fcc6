// Models by name, as --metrics has them:
//
//   sim:l1d    a first-level data cache: [=SIZE,WAYS,LINE] in bytes, or [=CORE], that of a well-known core
//   sim:l2     a second level behind it, likewise
//   sim:l1i    a first-level instruction cache, likewise
//   sim:branch a predictor of conditional branches: [=bimodal|gshare|gselect[,BITS[,HISTORY]]], or [=CORE]
#pragma once

#include <chord_models.h>

#include <string>
#include <string_view>
#include <vector>

namespace chord::weave {

// Is it the name of a model, with or without what follows `=`?
bool names_model(std::string_view word);

// Adds the model to `models`. Throws base::UsageError: no such model, core or geometry.
void choose_model(std::string_view word, chord_models &models);

// Cores whose caches are known by name; SIZE,WAYS,LINE of each.
struct ModelledCore {
  std::string name, data, second, code;
};
std::vector<ModelledCore> modelled_cores();

// Throws base::UsageError: a cache behind one that is not there.
void check_models(const chord_models &models);

}  // namespace chord::weave
