// Reads documents from standard input, looks at every node, writes them out again.
#include <iostream>
#include <string>

#include "yaml-cpp/yaml.h"

static long visit(const YAML::Node &node, int depth) {
  long sum = depth;
  if (node.IsMap()) {
    for (const auto &entry : node) sum += visit(entry.first, depth + 1) * 3 + visit(entry.second, depth + 1);
  } else if (node.IsSequence()) {
    for (const auto &entry : node) sum = sum * 7 % 1000003 + visit(entry, depth + 1);
  } else if (node.IsScalar()) {
    try {
      sum += node.as<int>();
    } catch (const YAML::BadConversion &) {
      sum += static_cast<long>(node.Scalar().size());
    }
  }
  return sum;
}

int main() {
  try {
    for (const YAML::Node &document : YAML::LoadAll(std::cin)) {
      YAML::Emitter out;
      out << document;
      std::cout << visit(document, 0) << "\n" << out.c_str() << "\n";
    }
  } catch (const YAML::Exception &error) {
    std::cout << "error: " << error.what() << "\n";
    return 3;
  }
  return 0;
}
