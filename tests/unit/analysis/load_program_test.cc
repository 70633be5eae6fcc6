// Real ELF files, made with the assembler and linker, holding hand-made sections.
#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/program/program.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/process.h"
#include "unit/analysis/sample_program.h"
#include "unit/format/samples.h"

namespace chord::analysis {
namespace {

class LoadProgram : public ::testing::Test {
 protected:
  // Links an ELF file with the sample's map and anchor; returns its path.
  std::string link_map(const std::string &name, const std::string &map,
                       const std::vector<std::string> &flags = {}) {
    base::write_file(folder_.file("map"), map);
    base::write_file(folder_.file("anchor"), format::encode_anchor(loop_anchor()));
    std::string source =
        "\t.globl _start\n_start:\tret\n\t.zero 256\n\t.section .chord.map,\"\"\n\t.incbin \"" + folder_.file("map") +
        "\"\n\t.section .chord.anchor,\"\"\n\t.balign 8\n\t.incbin \"" + folder_.file("anchor") + "\"\n";
    base::write_file(folder_.file("x.s"), source);
    std::string path = folder_.file(name);
    EXPECT_EQ(base::run({"as", folder_.file("x.s"), "-o", folder_.file("x.o")}).status, 0);
    std::vector<std::string> command = {"ld", "-Ttext=0x401000", folder_.file("x.o"), "-o", path};
    command.insert(command.end(), flags.begin(), flags.end());
    EXPECT_EQ(base::run(command).status, 0);
    return path;
  }

  std::string link(const std::string &name, const std::vector<std::string> &flags = {}) {
    return link_map(name, format::encode_map(loop_unit()), flags);
  }

  static format::Profile profile_of(const std::string &path, std::string build_id) {
    format::Profile profile;
    profile.segments = {loop_segment(2, 10)};
    profile.segments[0].executable = path;
    profile.segments[0].modules[0].path = path;
    profile.segments[0].modules[0].build_id = std::move(build_id);
    return profile;
  }

  static std::string message(const format::Profile &profile, const LoadOptions &options = {}) {
    try {
      load_program(profile, options);
      return "";
    } catch (const base::Error &e) {
      return e.what();
    }
  }

  base::TempFolder folder_;
};

TEST_F(LoadProgram, FromAnElfFile) {
  std::string path = link("prog", {"--build-id=0x0102ff04"});
  Object object = read_object(path, true);
  EXPECT_EQ(object.build_id, std::string("\x01\x02\xff\x04"));
  ASSERT_EQ(object.units.size(), 1u);
  EXPECT_TRUE(format::same_map(object.units[0], loop_unit()));
  Program program = load_program(profile_of(path, object.build_id), {});
  EXPECT_EQ(program.name, "prog");
  EXPECT_EQ(program.instructions, 54u);
}

TEST_F(LoadProgram, AnotherBuildOrNoMapOrNoFile) {
  std::string path = link("prog", {"--build-id=0x0102ff04"});
  EXPECT_NE(
      message(profile_of(path, "\x05")).find("is of another build (build id 05, the file has 0102ff04)"),
      std::string::npos);
  EXPECT_NE(message(profile_of(folder_.file("gone"), "")).find("gone: cannot open"), std::string::npos);
  EXPECT_NE(message(profile_of(folder_.file("x.s"), "")).find("not an ELF file"), std::string::npos);
  EXPECT_NE(message(profile_of("/bin/ls", "")).find("/bin/ls: has no map"), std::string::npos);
  std::string damaged = format::encode_map(loop_unit());
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  EXPECT_NE(message(profile_of(link_map("bad", damaged), "")).find("checksum is wrong"), std::string::npos);
}

TEST_F(LoadProgram, AMovedProgramIsNamed) {
  std::string path = link("moved");
  format::Profile profile = profile_of("/nowhere/prog", "");
  EXPECT_NE(message(profile), "");
  EXPECT_EQ(load_program(profile, {path, false}).instructions, 54u);
}

TEST_F(LoadProgram, SeveralProgramsAreOneProjectOrChosenFrom) {
  std::string one = link("one"), two = link("two");
  format::Profile profile = profile_of(one, "");
  profile.segments.push_back(profile_of(two, "").segments[0]);
  profile.segments.push_back(profile.segments[1]);
  Program both = load_program(profile, {});
  ASSERT_EQ(both.parts.size(), 2u);
  EXPECT_EQ(both.runs, 3u);
  EXPECT_EQ(both.instructions, 3 * 54u);
  // The same code in both is one procedure.
  EXPECT_EQ(both.procedures.size(), load_program(profile, {one, false}).procedures.size());
  EXPECT_EQ(both.procedures[0].instructions, both.parts[0].instructions + both.parts[1].instructions);
  EXPECT_EQ(load_program(profile, {two, false}).runs, 2u);
  EXPECT_EQ(load_program(profile, {one, false}).runs, 1u);
}

TEST_F(LoadProgram, AMissingSharedObjectIsAWarning) {
  std::string path = link("prog");
  format::Profile profile = profile_of(path, "");
  profile.segments[0].modules.push_back({"/gone/lib.so", "", 0, {{5, {1, 2}}}});
  Program program = load_program(profile, {});
  EXPECT_EQ(program.instructions, 54u);
  ASSERT_EQ(program.warnings.size(), 1u);
  EXPECT_NE(program.warnings[0].find("/gone/lib.so"), std::string::npos);
}

TEST_F(LoadProgram, AnEmptyProfileSaysWhy) {
  format::Profile profile = format::decode_profile("garbage of some length");
  EXPECT_NE(message(profile).find("no segment"), std::string::npos);
}

}  // namespace
}  // namespace chord::analysis
