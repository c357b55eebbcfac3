// The protocol between a mirror and the machine that it mirrors.
//
// [Note: the remote protocol]
// `atelier serve` reads requests from its standard input and writes messages to its standard output, each a line of JSON. A message
// with "bytes" is followed by so many bytes of a file, as they are. The first message is {"v":1,"atelier":"0.1.0","host":"gpu1","now":17…}
// with the time there in milliseconds: the two clocks may differ. "resources" in it is the folder of what is installed with Atelier there, and
// "tells_copied" says that the server does.
//
// Unasked, the server says what runs there are and what state they are in, and later what has changed of it:
//   {"run":R,"stamp":S,"status":{…}}   S changes whenever a small file of the run does (FileDepth::Facts); the status is statusJson()
//   {"gone":R}                         the run is not there any more
//   {"listed":N}                       all runs have been said once
//   {"beat":1}                         nothing else was to be said for some seconds
//
// The mirror says which runs it wants more of, and the server sends what the mirror lacks, then what is appended or replaced:
//   {"id":1,"cmd":"have","run":R,"files":[["journal/rank-0.jsonl",4711,"9e…"],["attempts/1/start.json",312,17…]]}
//   {"id":2,"cmd":"look","run":R,"depth":"facts"}    once; ends with {"run":R,"done":S}
//   {"id":2,"cmd":"look","run":R,"depth":"records"}  journals and checkpoints' manifests, and goes on
//   {"id":2,"cmd":"look","run":R,"depth":"logs"}     logs, too
//   {"id":2,"cmd":"look","run":R,"depth":"samples"}  samples, too
//   {"id":3,"cmd":"leave","run":R}                   no more of this run
// A file that only grows is known by its size and the checksum of its last bytes (tailCheck()), another one by its size and its
// modification time in nanoseconds. The answers:
//   {"run":R,"file":F,"at":4711,"bytes":90}                     to be appended at that size
//   {"run":R,"file":F,"at":0,"bytes":90,"anew":true}            the same, after what there is has been thrown away
//   {"run":R,"file":F,"at":0,"bytes":90,"size":312,"mtime":17…} a part of a file that replaces the one before when it is complete
//   {"run":R,"file":F,"removed":true}
//   {"copied":R,"depth":"records"}                              all that there was of that depth when it was asked for has been sent
//
// Commands have an answer each, {"id":4,"ok":true} or {"id":4,"ok":false,"error":"…"}:
//   {"v":1,"id":4,"cmd":"stop","run":R}                 those of control_message.h, forwarded to the run's supervisor
//   {"id":4,"cmd":"annotate","run":R,"before":{"name":"a"},"after":{"name":"b"}}   what differs is appended to annotations.jsonl
//   {"id":5,"cmd":"do","arguments":["resume",R,"--detach"]}                        a command of `atelier`, see served_commands.h
//   {"id":6,"cmd":"do","arguments":["run","-","--detach","--json"],"input":"[run]…"}   "-" stands for an experiment, the input
// Before the answer to "do" comes what the command has printed, in parts: {"id":5,"output":true,"bytes":812} with these bytes behind it,
// and, of those that say it, how far they are: {"id":5,"progress":"…"}.
//   {"id":7,"cmd":"cancel","of":5}   ends a command that reads or computes; it is answered by {"id":5,"ok":false,"cancelled":true,…}
// Such a command ends with the connection, too. One that changes something is left to finish, which takes moments.
// A server that does not know a command yet, or an option of it, answers with an error.
//
// Each side checks all that it gets: a line that is too long or no JSON, or a path that is none of a run's files, ends the connection
// on the mirror's side and is answered by an error on the server's.
#pragma once
#include "engine/contract/run/annotations.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace launcher {

inline constexpr std::int64_t kRemoteVersion = 1;
inline constexpr std::size_t kLongestRemoteLine = 256 * 1024;   ///< bytes
inline constexpr std::size_t kLongestPayload = 64 * 1024;       ///< bytes that may follow a message
inline constexpr std::int64_t kTailBytes = 4096;                ///< what tailCheck() reads

/// Takes a stream of bytes apart into messages and what follows them.
class MessageReader {
public:
    /// @param onMessage gets each message with the bytes that follow it
    explicit MessageReader(std::function<void(const nlohmann::json&, std::string_view payload)> onMessage)
        : m_onMessage(std::move(onMessage))
    {
    }

    /// @throws std::runtime_error in one sentence when the stream is not of this protocol; nothing after that is usable.
    void add(std::string_view bytes);

private:
    bool takeNext(std::string_view& rest);

    std::function<void(const nlohmann::json&, std::string_view)> m_onMessage;
    std::string m_buffer;
};

/// A message as one line.
std::string messageLine(const nlohmann::json& message);

/// @return the text or number of a field; empty or -1 when there is none of that type
std::string textField(const nlohmann::json& message, const char* key);
std::int64_t numberField(const nlohmann::json& message, const char* key);

/// A person's annotations of a run as an object, and back; fields of another type are left empty.
nlohmann::json annotationsJson(const contract::Annotations& annotations);
contract::Annotations annotationsOf(const nlohmann::json& json);

/// Whether @p name can be the name of a run's folder.
bool isRunName(std::string_view name);

/// Checksum of the last kTailBytes before @p size, or of all bytes when there are fewer. Empty when they cannot be read.
std::string tailCheck(int descriptor, std::int64_t size);

}  // namespace launcher
