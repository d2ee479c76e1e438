import ServiceRuntime
import Testing

@Suite("Watchers", .timeLimit(.minutes(1)))
struct WatchersTests {
    private let watchers = Watchers<Int>()

    @Test("each watcher gets its first element, and of those that it did not read the newest")
    func newest() async {
        var early = watchers.stream(0).makeAsyncIterator()
        #expect(await early.next() == 0)
        watchers.send(1)
        var late = watchers.stream().makeAsyncIterator()
        watchers.send(2)
        #expect(await early.next() == 2)
        #expect(await late.next() == 2)
    }

    @Test("a watcher that leaves while an element is sent does not lock up the sender")
    func leaving() async {
        let watchers = watchers
        let sender = Task.detached {
            while !Task.isCancelled {
                watchers.send(1)
                await Task.yield()
            }
        }
        for _ in 0..<10_000 {
            let (begun, began) = AsyncStream.makeStream(of: Void.self)
            let watcher = Task.detached { for await _ in watchers.stream(0) { began.yield() } }
            for await _ in begun { break }
            watcher.cancel()
            await watcher.value
        }
        sender.cancel()
        await sender.value
    }
}
