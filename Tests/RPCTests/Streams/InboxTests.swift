import Testing

@testable import RPC

@Suite("Items that wait for their reader")
struct InboxTests {
    @Test("the memory of items that were taken is released, although others wait")
    func bounded() throws {
        var inbox = CallStream.Inbox()
        let payload = [UInt8](repeating: 7, count: 1_000)
        func arrive(_ count: Int) {
            for _ in 0..<count { payload.withUnsafeBytes { inbox.add($0) } }
        }
        arrive(64)
        for _ in 0..<200 {
            arrive(64)
            let taken = try inbox.take(max: 64, bytes: .max) { $0.count }
            #expect(taken == Array(repeating: 1_000, count: 64))
        }
        #expect(inbox.count == 64 && inbox.byteCount == 64 * 1_004)
        #expect(inbox.capacity <= 512 * 1_024)
    }

    @Test("no more items are taken after some bytes, but always one")
    func bytes() throws {
        var inbox = CallStream.Inbox()
        for _ in 0..<5 { [UInt8](repeating: 7, count: 1_000).withUnsafeBytes { inbox.add($0) } }
        #expect(try inbox.take(max: 64, bytes: 1) { $0.count } == [1_000])
        #expect(try inbox.take(max: 64, bytes: 2_000) { $0.count } == [1_000, 1_000])
        #expect(try inbox.take(max: 64, bytes: .max) { $0.count } == [1_000, 1_000])
    }
}
