import ServiceRuntime
import Testing

@testable import Cryptography

@Suite("The queue of password hashes")
struct HashQueueTests {
    private func queue(threads: Int = 2, waiting: Int = 3) -> HashQueue<Int> {
        HashQueue(threads: threads, waitingMax: waiting, hashTime: .milliseconds(20))
    }

    /// Enters jobs numbered from 1 at second 0 until one is rejected. Returns that job's number.
    private func fill(_ queue: inout HashQueue<Int>) -> Int {
        var job = 1
        while queue.enter(job, ticket: UInt64(job), now: .zero) == .admitted { job += 1 }
        return job
    }

    @Test("jobs are admitted up to threads plus waiting places, and the next gets a retry delay")
    func bound() {
        var queue = queue()
        #expect(fill(&queue) == 6)
        #expect(queue.enter(9, ticket: 9, now: .zero) == .full(retryAfter: .milliseconds(50)))
        // A job that a thread has taken counts until it is finished.
        #expect(queue.next(now: .zero)?.job == 1)
        #expect(queue.enter(9, ticket: 9, now: .zero) == .full(retryAfter: .milliseconds(50)))
        queue.finish(took: .milliseconds(20))
        #expect(queue.enter(9, ticket: 9, now: .zero) == .admitted)
        #expect(queue.enter(10, ticket: 10, now: .zero) == .full(retryAfter: .milliseconds(50)))
    }

    @Test("without waiting places one job per thread is admitted")
    func noPlaces() {
        var queue = queue(threads: 3, waiting: 0)
        #expect(fill(&queue) == 4)
    }

    @Test("jobs are taken first in, first out, with the time that they waited")
    func order() {
        var queue = queue(waiting: 10)
        for job in 1...5 {
            _ = queue.enter(job, ticket: UInt64(job), now: .seconds(job))
        }
        for job in 1...5 {
            let turn = queue.next(now: .seconds(10))
            #expect(turn?.job == job)
            #expect(turn?.waited == .seconds(10 - job))
        }
        #expect(queue.next(now: .seconds(10)) == nil)
    }

    @Test("a job that leaves frees its place, and cannot leave twice or after it was taken")
    func leaving() {
        var queue = queue()
        #expect(fill(&queue) == 6)
        #expect(queue.leave(ticket: 3) == 3)
        #expect(queue.leave(ticket: 3) == nil)
        #expect(queue.length == 4)
        #expect(queue.enter(7, ticket: 7, now: .zero) == .admitted)
        #expect(queue.next(now: .zero)?.job == 1)
        #expect(queue.leave(ticket: 1) == nil)
        #expect((0..<4).map { _ in queue.next(now: .zero)?.job } == [2, 4, 5, 7])
    }

    @Test("the estimated wait follows the measured hash times")
    func estimate() {
        var queue = queue(threads: 1, waiting: 0)
        for _ in 0..<200 {
            _ = queue.enter(1, ticket: 1, now: .zero)
            _ = queue.next(now: .zero)
            queue.finish(took: .milliseconds(100))
        }
        _ = queue.enter(1, ticket: 1, now: .zero)
        guard case .full(let retryAfter) = queue.enter(2, ticket: 2, now: .zero) else {
            Issue.record("one place is taken")
            return
        }
        #expect(retryAfter > .milliseconds(99) && retryAfter <= .milliseconds(100))
    }

    @Test("a closed queue returns the waiting jobs and admits none")
    func closing() {
        var queue = queue()
        #expect(fill(&queue) == 6)
        _ = queue.next(now: .zero)
        let closed = queue.close()
        #expect(closed.jobs == [2, 3, 4, 5])
        #expect(closed.wasOpen)
        #expect(queue.enter(9, ticket: 9, now: .zero) == .closed)
        #expect(queue.next(now: .zero) == nil)
        #expect(!queue.close().wasOpen)
    }
}
