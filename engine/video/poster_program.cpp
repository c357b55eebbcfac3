// atelier-poster FILE: writes the first frame of a video to standard output, for the window.
//
// [Note: posters]
// Decoders are large and have had defects that a crafted file uses, so the window starts this program for each video and trusts
// nothing of it but numbers that it checks. The program limits itself: memory, processor time, elapsed time, no files written.
// It writes one line and then the pixels as RGB, top row first, or one line alone when the video has no picture:
//   atelier-poster 1 WIDTH HEIGHT FRAMES-PER-SECOND SECONDS FRAMES IS-COUNTED
//   atelier-poster 1 error is not a video that FFmpeg can open
#include "engine/video/open_video.h"
#include "engine/video/poster.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

namespace {

constexpr rlim_t kMemoryBytes = rlim_t {3} << 30;  // a decoder of 33 million pixels holds up to 16 frames
constexpr rlim_t kProcessorSeconds = 10;
constexpr unsigned kElapsedSeconds = 20;

void limit(__rlimit_resource_t resource, rlim_t most)
{
    const rlimit both {most, most};
    ::setrlimit(resource, &both);
}

void limitProcess()
{
    limit(RLIMIT_AS, kMemoryBytes);
    limit(RLIMIT_CPU, kProcessorSeconds);
    limit(RLIMIT_FSIZE, 0);
    limit(RLIMIT_CORE, 0);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::alarm(kElapsedSeconds);
}

int fail(const char* sentence)
{
    std::printf("atelier-poster 1 error %s\n", sentence);
    return 1;
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fputs("Usage: atelier-poster FILE\nWrites the first frame of a video to standard output. Atelier's window runs it.\n", stderr);
        return 2;
    }
    limitProcess();
    engine::ffmpeg::setLimits();
    try {
        const engine::Poster poster = engine::readPoster(argv[1]);
        const engine::Image& frame = poster.frame;
        std::printf("atelier-poster 1 %d %d %.6f %.6f %lld %d\n", frame.width, frame.height, poster.framesPerSecond, poster.seconds,
            static_cast<long long>(poster.frames), poster.isCounted ? 1 : 0);
        const bool isWritten = std::fwrite(frame.rgb.data(), 1, frame.rgb.size(), stdout) == frame.rgb.size();
        return isWritten && std::fflush(stdout) == 0 ? 0 : 1;
    } catch (const std::bad_alloc&) {
        return fail("needs more memory than is available");
    } catch (const std::exception& error) {
        return fail(error.what());
    }
}
