internal import CMessages

/// Memory for one message at a time (`CMessages/arena.h` tells why). Used by one thread at a time,
/// and for one message at a time; wiped after each, since a message may hold a password.
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

    /// Starts a message of our own, which has no budget. Each `begin` has its `end`.
    @usableFromInline package func begin() { begin(budget: .max) }

    /// Wipes and takes back what the message took.
    @usableFromInline package func end() {
        postern_arena_end(arena)
        isBusy = false
    }

    private func begin(budget: Int) {
        // A second message would take back the first one's memory under it.
        precondition(!isBusy, "an arena serves one message at a time")
        isBusy = true
        postern_arena_begin(arena, budget)
    }

    /// Unpacks one message with `unpack`, within the budget; when it returns, `end` must follow.
    /// - Throws: `MessageError`, and then the arena has ended.
    func unpack<Message>(
        _ bytes: UnsafeRawBufferPointer,
        _ unpack: (UnsafeMutablePointer<ProtobufCAllocator>?, Int, UnsafePointer<UInt8>?)
            -> UnsafeMutablePointer<Message>?
    ) throws -> UnsafePointer<Message> {
        begin(budget: bytes.count * Self.budgetFactor + Self.budgetFloor)
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

    // MARK: Filling C structs

    /// Room for a value, not yet initialised.
    func room<Value>(for type: Value.Type) -> UnsafeMutablePointer<Value> {
        take(MemoryLayout<Value>.size).bindMemory(to: Value.self, capacity: 1)
    }

    /// `elements` as a C array, each turned by `turn`.
    func array<Element, Value>(
        _ elements: [Element], _ turn: (Element) -> Value
    ) -> UnsafeMutablePointer<Value>? {
        guard !elements.isEmpty else { return nil }
        let start = take(MemoryLayout<Value>.stride * elements.count)
            .bindMemory(to: Value.self, capacity: elements.count)
        for (index, element) in elements.enumerated() {
            (start + index).initialize(to: turn(element))
        }
        return start
    }

    /// A copy of `text`'s UTF-8, with its exact length.
    func lend(_ text: String) -> ProtobufCBinaryData {
        text.utf8.span.withUnsafeBytes { lend($0) }
    }

    /// A copy of `bytes`.
    func lend(_ bytes: [UInt8]) -> ProtobufCBinaryData {
        bytes.withUnsafeBytes { lend($0) }
    }

    private func lend(_ bytes: UnsafeRawBufferPointer) -> ProtobufCBinaryData {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            return ProtobufCBinaryData(len: 0, data: nil)
        }
        let place = take(bytes.count)
        place.copyMemory(from: start, byteCount: bytes.count)
        return ProtobufCBinaryData(
            len: bytes.count, data: place.assumingMemoryBound(to: UInt8.self))
    }

    private func take(_ count: Int) -> UnsafeMutableRawPointer {
        guard let place = postern_arena_take(arena, count) else {
            preconditionFailure("no memory for a message of our own")
        }
        return place
    }
}
