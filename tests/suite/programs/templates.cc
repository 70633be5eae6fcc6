// suite-flags: -std=c++17
// Templates, lambdas and the standard containers: many small inline functions.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

template <typename T, int N>
struct Matrix {
  T cell[N][N] = {};
  Matrix operator*(const Matrix &other) const {
    Matrix result;
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < N; k++) result.cell[i][j] += cell[i][k] * other.cell[k][j];
    return result;
  }
  T trace() const {
    T sum{};
    for (int i = 0; i < N; i++) sum += cell[i][i];
    return sum;
  }
};

template <int N>
struct Factorial {
  static constexpr long value = N * Factorial<N - 1>::value;
};
template <>
struct Factorial<0> {
  static constexpr long value = 1;
};

template <typename... Parts>
std::string join(const Parts &...parts) {
  std::string text;
  ((text += parts, text += '/'), ...);
  return text;
}

template <typename T, int N>
static double power_trace(int exponent) {
  Matrix<T, N> base, result;
  for (int i = 0; i < N; i++) {
    result.cell[i][i] = 1;
    for (int j = 0; j < N; j++) base.cell[i][j] = static_cast<T>((i * 3 + j) % 4);
  }
  for (; exponent > 0; exponent--) result = result * base;
  return static_cast<double>(result.trace());
}

static std::map<std::string, int> histogram(const std::string &text) {
  std::map<std::string, int> words;
  std::string word;
  for (char c : text + " ") {
    if (c != ' ') word += c;
    else if (!word.empty()) words[std::exchange(word, "")]++;
  }
  return words;
}

int main() {
  std::printf("%.0f %.0f %.0f\n", power_trace<int, 2>(9), power_trace<long, 3>(7), power_trace<double, 5>(4));
  for (const auto &[word, count] : histogram("to be or not to be that is the question to be"))
    std::printf("%s=%d ", word.c_str(), count);
  std::vector<int> values(60);
  std::iota(values.begin(), values.end(), -20);
  std::sort(values.begin(), values.end(), [](int a, int b) { return a % 7 != b % 7 ? a % 7 < b % 7 : a < b; });
  std::function<int(int)> twice = [&](int x) { return x + values[5]; };
  int sum = std::accumulate(values.begin(), values.end(), 0, [&](int a, int b) { return a * 3 % 1001 + twice(b); });
  auto owned = std::make_unique<std::vector<std::string>>(5, join("a", std::string("b"), "c"));
  std::printf("\n%d %ld %zu\n", sum, Factorial<10>::value, owned->back().size());
}
