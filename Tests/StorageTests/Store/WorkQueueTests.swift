import ServiceRuntime
import Testing

@testable import Storage

@Suite("The queue to a blocking thread")
struct WorkQueueTests {
    @Test("elements are taken in order, at most as many as requested")
    func orderIsPreserved() throws {
        let queue = WorkQueue<Int>(elementsMax: 10)
        for number in 1...5 { try queue.offer(number) }
        #expect(queue.count == 5)
        #expect(queue.take(upTo: 2) == [1, 2])
        #expect(queue.take(upTo: 9) == [3, 4, 5])
        #expect(queue.count == 0)
    }

    @Test("a full queue rejects an element and accepts it once there is capacity")
    func boundHolds() throws {
        let queue = WorkQueue<Int>(elementsMax: 2)
        try queue.offer(1)
        try queue.offer(2)
        #expect(throws: QueueRefusal.full) { try queue.offer(3) }
        #expect(queue.take(upTo: 1) == [1])
        try queue.offer(3)
        #expect(queue.take(upTo: 9) == [2, 3])
    }

    @Test("a closed queue returns its elements, then nothing, and accepts none")
    func closedQueueEmpties() throws {
        let queue = WorkQueue<Int>(elementsMax: 2)
        try queue.offer(1)
        queue.close()
        #expect(throws: QueueRefusal.closed) { try queue.offer(2) }
        #expect(queue.take(upTo: 9, gather: 5, timeout: .seconds(60)) == [1])
        #expect(queue.take(upTo: 9) == [])
    }

    @Test("gathering ends at its timeout or when there are enough elements")
    func gatheringEnds() throws {
        let queue = WorkQueue<Int>(elementsMax: 9)
        try queue.offer(1)
        #expect(queue.take(upTo: 9, gather: 5, timeout: .microseconds(100)) == [1])
        for number in 1...5 { try queue.offer(number) }
        #expect(queue.take(upTo: 9, gather: 5, timeout: .seconds(60)) == [1, 2, 3, 4, 5])
    }

    @Test("bulk elements are taken after all others, in their order, up to the bytes of one take")
    func bulkWaitsBehind() throws {
        let queue = WorkQueue<Int>(elementsMax: 9, bulkElementsMax: 9)
        for number in 11...14 { try queue.offer(number, bulkBytes: 50) }
        for number in 1...2 { try queue.offer(number) }
        #expect(queue.count == 6)
        #expect(queue.take(upTo: 9, bulkBytesMax: 100) == [1, 2, 11, 12])
        try queue.offer(3)
        #expect(queue.take(upTo: 2, bulkBytesMax: 100) == [3, 13])
        #expect(queue.take(upTo: 9, bulkBytesMax: 100) == [14])
        #expect(queue.count == 0)
    }

    @Test("a bulk element is taken each time, behind a full group and with more bytes than allowed")
    func bulkIsNotStarved() throws {
        let queue = WorkQueue<Int>(elementsMax: 9, bulkElementsMax: 9)
        for number in 11...12 { try queue.offer(number, bulkBytes: 101) }
        for number in 1...4 { try queue.offer(number) }
        #expect(queue.take(upTo: 2, bulkBytesMax: 100) == [1, 2, 11])
        #expect(queue.take(upTo: 2, bulkBytesMax: 100) == [3, 4, 12])
    }

    @Test("either line accepts elements while the other is full")
    func boundsAreSeparate() throws {
        let queue = WorkQueue<Int>(elementsMax: 2, bulkElementsMax: 1)
        try queue.offer(11, bulkBytes: 1)
        #expect(throws: QueueRefusal.full) { try queue.offer(12, bulkBytes: 1) }
        for number in 1...2 { try queue.offer(number) }
        #expect(throws: QueueRefusal.full) { try queue.offer(3) }
        #expect(queue.take(upTo: 1, bulkBytesMax: 9) == [1, 11])
        try queue.offer(12, bulkBytes: 1)
        queue.close()
        #expect(throws: QueueRefusal.closed) { try queue.offer(13, bulkBytes: 1) }
        #expect(queue.take(upTo: 9, bulkBytesMax: 9) == [2, 12])
        #expect(queue.take(upTo: 9) == [])
    }

    @Test("X-06: elements that are gone are taken with the others, and count for nothing")
    func goneCountForNothing() throws {
        let queue = WorkQueue<Int>(
            elementsMax: 9, bulkElementsMax: 9, isGone: { $0.isMultiple(of: 2) })
        for number in [2, 4, 5, 6, 7, 9] { try queue.offer(number) }
        for number in [12, 13, 14, 15] { try queue.offer(number, bulkBytes: 9) }
        #expect(queue.take(upTo: 1, bulkBytesMax: 9) == [2, 4, 5, 12, 13, 14])
        #expect(queue.take(upTo: 1, bulkBytesMax: 9) == [6, 7, 15])
        #expect(queue.take(upTo: 1, bulkBytesMax: 9) == [9])
    }

    @Test("every element that several threads offer is taken exactly once")
    func nothingIsLost() async throws {
        let queue = WorkQueue<Int>(elementsMax: 10_000)
        let taken = WorkQueue<[Int]>(elementsMax: 10_000)
        let threads = try (0..<4).map { _ in
            try OSThread {
                while true {
                    let some = queue.take(upTo: 7, gather: 3, timeout: .microseconds(10))
                    if some.isEmpty { return }
                    // If this queue were full, the count below would fail.
                    _ = try? taken.offer(some)
                }
            }
        }
        try await withThrowingTaskGroup { group in
            for first in 0..<4 {
                group.addTask {
                    for number in 0..<2_000 { try queue.offer(first * 2_000 + number) }
                }
            }
            try await group.waitForAll()
        }
        queue.close()
        for thread in threads { thread.join() }
        taken.close()
        #expect(taken.take(upTo: 10_000).joined().sorted() == Array(0..<8_000))
    }
}
