#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace chord::base {
namespace {

TEST(ReplacedFile, TheOldOneStaysUntilTheNewOneIsWhole) {
  TempFolder folder;
  const std::string path = folder.file("report");
  replace_file(path, "old");
  {
    ReplacedFile file(path);
    file.write("new");
    EXPECT_EQ(read_file(path), "old");
  }
  EXPECT_EQ(read_file(path), "old");
  replace_file(path, "new");
  EXPECT_EQ(read_file(path), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

// A regular file in the place of /dev/null or of a pipe would be the end of it.
TEST(ReplacedFile, WhatIsNoFileIsWrittenTo) {
  TempFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  replace_file(pipe, "text");
  char bytes[8];
  EXPECT_EQ(::read(reader, bytes, sizeof bytes), 4);
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

TEST(ReplacedFile, ALinkStays) {
  TempFolder folder;
  const std::string file = folder.file("file"), link = folder.file("link");
  replace_file(file, "old");
  std::filesystem::create_symlink("file", link);
  replace_file(link, "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file(file), "new");
}

}  // namespace
}  // namespace chord::base
