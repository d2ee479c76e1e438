internal import CMessages

/// Memory into which libprotobuf-c decodes (`CMessages/arena.h` has the reasons). Used by one
/// thread at a time and for one message at a time. Wiped after each message, since it may contain a
/// password.
package final class Arena {
    /// Bytes of memory that decoding may use per byte of the body: valid messages with many small
    /// parts need up to 24.
    private static let budgetFactor = 32
    /// Bytes of memory that decoding may use in addition.
    private static let budgetFloor = 4 * 1024

    private let arena: OpaquePointer
    private var isBusy = false

    /// An arena that allocates nothing until its first use.
    package init() {
        guard let arena = postern_arena_new() else {
            preconditionFailure("no memory for 80 bytes: nothing else would work either")
        }
        self.arena = arena
    }

    deinit { postern_arena_free(arena) }

    /// Bytes of memory that decoding a body of `count` bytes may use.
    static func budget(_ count: Int) -> Int { count * budgetFactor + budgetFloor }

    /// Wipes and frees the memory of the message.
    func end() {
        postern_arena_end(arena)
        isBusy = false
    }

    /// The message in `bytes` in canonical form, in the arena's memory, within the budget
    /// (`CMessages/canonical.h`). After a normal return the caller must call `end`.
    /// - Throws: `MessageError`; then the arena has already ended.
    func canonical(
        _ bytes: UnsafeRawBufferPointer, _ layout: MessageLayout
    ) throws -> UnsafeRawBufferPointer {
        // A second message would free the memory of the first.
        precondition(!isBusy, "an arena serves one message at a time")
        isBusy = true
        postern_arena_begin(arena, Self.budget(bytes.count))
        let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var count = 0
        guard
            let canonical = postern_canonical(
                arena, layout.descriptor, start, bytes.count, &count)
        else {
            let isOver = postern_arena_is_over(arena) != 0
            end()
            throw isOver ? MessageError.overBudget : .malformed
        }
        return UnsafeRawBufferPointer(start: canonical, count: count)
    }

    /// The peak of bytes held since the last message began. For tests.
    var heldBytesMost: Int { postern_arena_held_most(arena) }
}

/// libprotobuf-c's descriptor of a message, which is a constant of the program.
package struct MessageLayout {
    fileprivate let descriptor: UnsafePointer<ProtobufCMessageDescriptor>?

    init(_ descriptor: UnsafePointer<ProtobufCMessageDescriptor>?) {
        self.descriptor = descriptor
    }
}
