import Glibc
import Logging
import ServiceLifecycle
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

/// Reports when it runs, and logs its name when it ends.
private struct Part: Service {
    let name: String
    let ended: CapturedLog
    let started: AsyncStream<Void>.Continuation

    func run() async throws {
        started.yield()
        try await gracefulShutdown()
        ended.write(Array((name + "\n").utf8))
    }
}

private struct Failing: Service {
    func run() async throws { throw ServiceError(.internalError, detail: "the disk is gone") }
}

/// The two ends of a pipe.
private struct Pipe {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: (Int32, Int32) = (0, 0)
        let result = withUnsafeMutableBytes(of: &ends) {
            pipe($0.baseAddress?.assumingMemoryBound(to: Int32.self))
        }
        try #require(result == 0)
        (reading, writing) = ends
    }
}

@Suite(
    "Lifecycle: a program starts completely and stops in order",
    .serialized, .timeLimit(.minutes(1)))
struct ProgramLifecycleTests {
    let log = CapturedLog()
    let ended = CapturedLog()
    let readiness = Readiness(parts: [])

    private func lifecycle(_ lifeline: Lifeline?) -> ProgramLifecycle {
        ProgramLifecycle(
            readiness: readiness, lifeline: lifeline, logger: log.logger(),
            killsAfterTimeout: false)
    }

    @Test("SECURITY.md, Crash: when the lifeline closes, the parts stop in reverse order")
    func lifeline() async throws {
        let pipe = try Pipe()
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let parts = ["store", "relay", "server"].map {
            Part(name: $0, ended: ended, started: started)
        }
        let running = Task { [lifecycle = lifecycle(Lifeline(descriptor: pipe.reading))] in
            await lifecycle.run(parts)
        }
        var iterator = starts.makeAsyncIterator()
        for _ in parts { await iterator.next() }
        #expect(readiness.isReady)
        _ = write(pipe.writing, "noise", 5)
        close(pipe.writing)
        #expect(await running.value == 0)
        close(pipe.reading)
        #expect(ended.lines == ["server", "relay", "store"])
        #expect(readiness.state == .draining)
    }

    @Test("SIGTERM drains the program while its lifeline stays open")
    func signal() async throws {
        let pipe = try Pipe()
        let (starts, started) = AsyncStream.makeStream(of: Void.self)
        let running = Task { [lifecycle = lifecycle(Lifeline(descriptor: pipe.reading)), ended] in
            await lifecycle.run([Part(name: "server", ended: ended, started: started)])
        }
        for await _ in starts { break }
        kill(getpid(), SIGTERM)
        #expect(await running.value == 0)
        // service-lifecycle leaves the signal ignored, and the test runner must stay stoppable.
        Glibc.signal(SIGTERM, SIG_DFL)
        close(pipe.writing)
        close(pipe.reading)
        #expect(ended.lines == ["server"])
        #expect(readiness.state == .draining)
    }

    @Test("a failing part stops the others in order, with exit code 1 and the reason in the log")
    func failing() async throws {
        let (_, started) = AsyncStream.makeStream(of: Void.self)
        let code = await lifecycle(nil).run([
            Part(name: "store", ended: ended, started: started), Failing(),
        ])
        #expect(code == 1)
        #expect(ended.lines == ["store"])
        #expect(
            log.lines.contains {
                $0.contains("stopped by a failure") && $0.contains("the disk is gone")
            })
        #expect(readiness.state == .draining)
    }

    @Test("a lifeline whose pipe is already closed ends at once")
    func closed() async throws {
        let pipe = try Pipe()
        close(pipe.writing)
        try await Lifeline(descriptor: pipe.reading).run()
        close(pipe.reading)
    }

    @Test("a lifeline on /dev/null ends at once, as under a supervisor without input")
    func null() async throws {
        let descriptor = open("/dev/null", O_RDONLY)
        try await Lifeline(descriptor: descriptor).run()
        close(descriptor)
    }
}
