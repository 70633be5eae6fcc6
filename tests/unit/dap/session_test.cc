// Whole conversations with a debugger's client, over a run made up by hand.
#include "dap/session.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/diagnostics.h"
#include "dap/messages.h"
#include "unit/dap/made_up_run.h"

using namespace chord;
using nlohmann::json;

namespace {

std::string request(const std::string &command, const json &arguments = json::object()) {
  static int sequence = 0;
  std::ostringstream out;
  dap::write_message(out, {{"seq", ++sequence}, {"type", "request"}, {"command", command}, {"arguments", arguments}});
  return out.str();
}

std::vector<json> conversation(const std::vector<std::string> &requests) {
  std::string text;
  for (const std::string &r : requests) text += r;
  std::istringstream in(text);
  std::ostringstream out;
  dap::serve(in, out, [](const std::string &) {
    return std::make_unique<dap::MadeUpRun>(std::vector<std::string>{"!main:1", "main:2", ">!f:10", ">f:11", "main:2", "main:3"});
  });
  std::istringstream answers(out.str());
  std::vector<json> list;
  while (std::optional<json> message = dap::read_message(answers)) list.push_back(*message);
  return list;
}

json answer_to(const std::vector<json> &list, const std::string &command) {
  for (const json &m : list) {
    if (m["type"] == "response" && m["command"] == command) return m;
  }
  return nullptr;
}

std::vector<json> events(const std::vector<json> &list, const std::string &name) {
  std::vector<json> out;
  for (const json &m : list) {
    if (m["type"] == "event" && m["event"] == name) out.push_back(m["body"]);
  }
  return out;
}

std::vector<std::string> begin(std::vector<std::string> more) {
  std::vector<std::string> all{request("initialize"), request("launch"), request("configurationDone")};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

const json kThread = {{"threadId", 1}};

}  // namespace

TEST(Session, BeginsAtTheFirstInstruction) {
  std::vector<json> list = conversation(begin({request("threads"), request("stackTrace", kThread)}));
  EXPECT_EQ(events(list, "initialized").size(), 1u);
  EXPECT_EQ(events(list, "stopped").at(0)["reason"], "entry");
  json frames = answer_to(list, "stackTrace")["body"]["stackFrames"];
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0]["name"], "main");
  EXPECT_EQ(frames[0]["line"], 1);
  EXPECT_EQ(frames[0]["source"]["path"], "/src/a.c");
}

TEST(Session, RunsToABreakpointAndBack) {
  std::vector<json> list = conversation(begin(
      {request("setBreakpoints", {{"source", {{"path", "/src/a.c"}}}, {"breakpoints", {{{"line", 11}}}}}), request("continue", kThread),
       request("stackTrace", kThread), request("reverseContinue", kThread)}));
  std::vector<json> stops = events(list, "stopped");
  ASSERT_EQ(stops.size(), 3u);
  EXPECT_EQ(stops[1]["reason"], "breakpoint");
  EXPECT_EQ(stops[1]["hitBreakpointIds"], json({answer_to(list, "setBreakpoints")["body"]["breakpoints"][0]["id"]}));
  json frames = answer_to(list, "stackTrace")["body"]["stackFrames"];
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0]["name"], "f");
  EXPECT_EQ(frames[1]["line"], 2);
  EXPECT_EQ(stops[2]["text"], "the beginning of the recording");
}

TEST(Session, BreakpointsOnLinesWithoutCodeMoveAndOthersAreRefused) {
  std::vector<json> list = conversation(begin({request(
      "setBreakpoints", {{"source", {{"path", "a.c"}}},
                         {"breakpoints", {{{"line", 5}}, {{"line", 999}}, {{"line", 2}, {"condition", "x > 3"}}, {{"line", 2}, {"hitCondition", "often"}}}}})}));
  json answers = answer_to(list, "setBreakpoints")["body"]["breakpoints"];
  ASSERT_EQ(answers.size(), 4u);
  EXPECT_EQ(answers[0]["line"], 10);
  for (int i : {1, 2, 3}) EXPECT_FALSE(answers[i]["verified"].get<bool>()) << i;
}

TEST(Session, ValuesAreSaidToBeUnavailable) {
  std::vector<json> list = conversation(begin({request("stackTrace", kThread), request("scopes", {{"frameId", 1}}), request("variables", {{"variablesReference", 6}}),
                                               request("evaluate", {{"expression", "x"}})}));
  EXPECT_EQ(answer_to(list, "variables")["body"]["variables"][0]["value"], "not recorded: a trace holds the control flow alone");
  EXPECT_FALSE(answer_to(list, "evaluate")["success"].get<bool>());
}

TEST(Session, TheConsoleGoesToANumber) {
  std::vector<json> list = conversation(begin({request("evaluate", {{"expression", "goto 3"}}), request("stackTrace", kThread)}));
  EXPECT_EQ(answer_to(list, "stackTrace")["body"]["stackFrames"][0]["line"], 11);
}

TEST(Session, CodeIsShownAroundAnInstruction) {
  std::vector<json> list = conversation(begin({request("disassemble", {{"memoryReference", "0x100000001"}, {"instructionOffset", -2}, {"instructionCount", 4}})}));
  json code = answer_to(list, "disassemble")["body"]["instructions"];
  ASSERT_EQ(code.size(), 4u);
  EXPECT_EQ(code[0]["presentationHint"], "invalid");
  EXPECT_EQ(code[1]["symbol"], "f");
  EXPECT_EQ(code[2]["instruction"], "mov");
}

TEST(Session, WrongRequestsAreAnsweredAndTheSessionGoesOn) {
  std::vector<json> list = conversation({request("next", kThread), request("initialize"), request("launch"), request("next"), request("next", {{"threadId", "x"}}),
                                         request("next", {{"threadId", 7}}), request("stackTrace", {{"threadId", 1}, {"levels", -1}}), request("readMemory"),
                                         request("scopes", {{"frameId", 99}}), request("disassemble", {{"memoryReference", "zzz"}, {"instructionCount", 1}}),
                                         request("threads"), request("disconnect"), request("threads")});
  EXPECT_FALSE(answer_to(list, "next")["success"].get<bool>());
  EXPECT_FALSE(answer_to(list, "readMemory")["success"].get<bool>());
  EXPECT_FALSE(answer_to(list, "scopes")["success"].get<bool>());
  EXPECT_FALSE(answer_to(list, "disassemble")["success"].get<bool>());
  EXPECT_TRUE(answer_to(list, "threads")["success"].get<bool>());
  EXPECT_EQ(list.back()["command"], "disconnect") << "nothing is answered after it";
}

TEST(Messages, WhatIsNoMessageIsRefused) {
  for (const char *text : {"Content-Length: x\r\n\r\n{}", "Content-Length: 99999999999\r\n\r\n{}", "Content-Length: 5\r\n\r\n{}", "\r\n{}", "Content-Length: 2",
                           "Content-Length: 2\r\n\r\n[]", "Content-Length: 2\r\n\r\n{x"}) {
    std::istringstream in(text);
    EXPECT_THROW(dap::read_message(in), base::Error) << text;
  }
  std::istringstream empty("");
  EXPECT_FALSE(dap::read_message(empty));
  std::istringstream endless(std::string(100000, 'x'));
  EXPECT_THROW(dap::read_message(endless), base::Error);
}
