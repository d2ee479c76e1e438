internal import CMessages

/// Memory that libprotobuf-c decodes into (`CMessages/arena.h` tells why). Used by one thread at a
/// time, and for one message at a time; wiped after each, since a message may hold a password.
package final class Arena {
    /// Bytes that a decode may take for each byte of the body: honest messages of many small parts
    /// need up to 24.
    private static let budgetFactor = 32
    /// Bytes that a decode may take on top.
    private static let budgetFloor = 4 * 1024

    private let arena: OpaquePointer
    private var isBusy = false

    /// An arena that holds nothing until it is first used.
    package init() {
        guard let arena = postern_arena_new() else {
            preconditionFailure("no memory for 80 bytes: nothing else would work either")
        }
        self.arena = arena
    }

    deinit { postern_arena_free(arena) }

    /// Bytes of memory that decoding a body of `count` bytes may take.
    static func budget(_ count: Int) -> Int { count * budgetFactor + budgetFloor }

    /// Wipes and takes back what the message took.
    func end() {
        postern_arena_end(arena)
        isBusy = false
    }

    /// Unpacks one message with `unpack`, within the budget; when it returns, `end` must follow.
    /// - Throws: `MessageError`, and then the arena has ended.
    func unpack<Message>(
        _ bytes: UnsafeRawBufferPointer,
        _ unpack: (UnsafeMutablePointer<ProtobufCAllocator>?, Int, UnsafePointer<UInt8>?)
            -> UnsafeMutablePointer<Message>?
    ) throws -> UnsafePointer<Message> {
        // A second message would take back the first one's memory under it.
        precondition(!isBusy, "an arena serves one message at a time")
        isBusy = true
        postern_arena_begin(arena, Self.budget(bytes.count))
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard let message = unpack(postern_arena_allocator(arena), bytes.count, start) else {
            let isOver = postern_arena_is_over(arena) != 0
            end()
            throw isOver ? MessageError.overBudget : .malformed
        }
        return UnsafePointer(message)
    }

    /// The most bytes held since the last message began: what that message cost. For tests.
    var heldBytesMost: Int { postern_arena_held_most(arena) }
}
