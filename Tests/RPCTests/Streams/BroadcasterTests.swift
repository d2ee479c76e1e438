import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@Suite("Broadcaster: one feed for many followers", .timeLimit(.minutes(1)))
struct BroadcasterTests {
    /// Counts the feeds that were started; each begins with its number.
    private final class Feeds: Sendable {
        private struct State {
            var begun = 0
            var ended = 0
            var latest: AsyncStream<Int>.Continuation?
        }

        private let state = Mutex(State())

        var begun: Int { state.withLock { $0.begun } }
        var ended: Int { state.withLock { $0.ended } }

        func next() -> AsyncStream<Int> {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            state.withLock { state in
                state.begun += 1
                state.latest = continuation
                continuation.yield(state.begun)
            }
            continuation.onTermination = { [self] _ in state.withLock { $0.ended += 1 } }
            return stream
        }

        func say(_ number: Int) { _ = state.withLock { $0.latest }?.yield(number) }
        func finish() { state.withLock { $0.latest }?.finish() }
    }

    private let feeds = Feeds()
    private let time = ManualTime()

    private func followed() -> Broadcaster<Int> {
        Broadcaster(time: time) { [feeds] in feeds.next() }
    }

    private func follow(_ followed: Broadcaster<Int>) -> IncomingItems<Int>.AsyncIterator {
        IncomingItems.inProcess { try await followed.send(to: $0) }.makeAsyncIterator()
    }

    @Test("all followers share one feed, which ends with the last of them and then starts again")
    func shared() async throws {
        let followed = followed()
        do {
            let first = follow(followed)
            #expect(try await first.next() == 1)
            let second = follow(followed)
            #expect(try await second.next() == 1)
            feeds.say(70)
            #expect(try await first.next() == 70)
            #expect(try await second.next() == 70)
            #expect(feeds.begun == 1)
        }
        #expect(try await eventually { feeds.ended == 1 })
        let third = follow(followed)
        #expect(try await third.next() == 2)  // not the last item of the first feed
        #expect(feeds.begun == 2)
    }

    @Test("a heartbeat repeats the last item to all followers")
    func heartbeat() async throws {
        let followed = followed()
        let followers = [follow(followed), follow(followed)]
        for follower in followers { #expect(try await follower.next() == 1) }
        for _ in 0..<3 {
            await time.sleepers(1)
            time.advance(by: FrameLimits.watchHeartbeat)
            for follower in followers { #expect(try await follower.next() == 1) }
        }
    }

    @Test("when the feed ends, all streams end after the last item")
    func over() async throws {
        let followed = followed()
        let first = follow(followed)
        #expect(try await first.next() == 1)
        feeds.finish()
        #expect(try await first.next() == nil)
    }
}
