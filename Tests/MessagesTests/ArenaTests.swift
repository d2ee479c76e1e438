import Testing

@testable import Messages

@Suite("Memory of an arena")
struct ArenaTests {
    /// The chunk that an arena keeps, in bytes.
    private static let retainedBytes = 32 * 1024

    /// What decoding a body of `count` bytes may cost: the budget, the same again for the unused
    /// ends of chunks, and the retained chunk.
    static func mostBytes(_ count: Int) -> Int { 2 * (32 * count + 4096) + retainedBytes }

    @Test("64 KiB of empty sub-messages cost at most the budget, and the memory is freed")
    func hostile() throws {
        let arena = Arena()
        let hostile = Array(repeatElement([0x0a, 0x00] as [UInt8], count: 32 * 1024).joined())
        #expect(throws: MessageError.overBudget) {
            try hostile.withUnsafeBytes {
                try RateLimitV1.ConsumeRequest.decode($0, in: arena)
            }
        }
        #expect(arena.heldBytesMost > hostile.count)
        #expect(arena.heldBytesMost <= Self.mostBytes(hostile.count))
        #expect(try cost(of: WireV1.Ping(token: 1), in: arena) <= Self.retainedBytes)
    }

    @Test("after a large message, first or later, only the retained chunk remains")
    func large() throws {
        let arena = Arena()
        let item = WireV1.Item(call: 1, payload: Array(repeating: 7, count: 1024 * 1024))
        for _ in 0..<2 {
            let cost = try cost(of: item, in: arena)
            // The decoded message, and its canonical encoding.
            let most = 2 * item.payload.count + 3 * Self.retainedBytes
            #expect(cost >= item.payload.count && cost <= most)
            #expect(try self.cost(of: WireV1.Ping(token: 1), in: arena) <= Self.retainedBytes)
        }
    }

    /// The bytes of memory that libprotobuf-c needs to read `message`.
    private func cost<Message: ProtobufMessage>(
        of message: Message, in arena: Arena
    ) throws -> Int {
        let bytes = message.encoded()
        let read = try bytes.withUnsafeBytes { try Message(byLibrary: $0, in: arena) }
        #expect(read == message)
        return arena.heldBytesMost
    }
}
